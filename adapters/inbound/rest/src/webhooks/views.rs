//! JSON views of webhooks and deliveries.

use application::{CreatedWebhook, DeliveryView, WebhookView};
use chrono::{DateTime, SecondsFormat, Utc};
use domain::webhooks::{DeliveryAttempt, EndpointState, SendFailure};
use serde::Serialize;
use utoipa::ToSchema;

use super::body::events;
use crate::openapi::schemas;

/// A webhook.
#[derive(Serialize, ToSchema)]
#[schema(as = Webhook)]
pub(crate) struct WebhookBody {
    #[schema(format = "uuid")]
    id: String,
    #[schema(schema_with = schemas::environment)]
    env: &'static str,
    /// Address of the messages.
    url: String,
    #[schema(schema_with = events)]
    events: Vec<&'static str>,
    /// Events are sent to it.
    enabled: bool,
    /// `owner`, `gone` (it answered 410), `failing` (no success in 120 hours) or `restored` (the service was restored from
    /// a copy: look at the webhook, and enable it).
    #[schema(required = true)]
    disabled_reason: Option<&'static str>,
    #[schema(required = true, format = "date-time")]
    disabled_at: Option<String>,
    /// Time of the first failure since the last success.
    #[schema(required = true, format = "date-time")]
    failing_since: Option<String>,
    /// Until then the secret before the current one signs, too.
    #[schema(required = true, format = "date-time")]
    previous_secret_until: Option<String>,
    #[schema(format = "date-time")]
    created_at: String,
    #[schema(format = "date-time")]
    updated_at: String,
}

impl WebhookBody {
    pub(crate) fn new(view: &WebhookView) -> Self {
        let disabled = match view.state {
            EndpointState::Enabled => None,
            EndpointState::Disabled { reason, at } => Some((reason.name(), instant(at))),
        };
        let (disabled_reason, disabled_at) = disabled.unzip();
        let names = view.events.list().iter().map(|kind| kind.name());
        Self {
            id: view.id.to_string(),
            env: view.environment.name(),
            url: view.url.as_str().to_owned(),
            events: names.collect(),
            enabled: view.state.is_enabled(),
            disabled_reason,
            disabled_at,
            failing_since: view.failing_since.map(instant),
            previous_secret_until: view.previous_secret_until.map(instant),
            created_at: instant(view.created_at),
            updated_at: instant(view.updated_at),
        }
    }
}

/// A webhook with a new secret: the only answer that shows it.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedWebhook)]
pub(crate) struct CreatedWebhookBody {
    webhook: WebhookBody,
    /// Verifies messages. Keep it now: it is never shown again.
    #[schema(pattern = "^whsec_[0-9A-Za-z+/]{43}=$")]
    secret: String,
}

impl CreatedWebhookBody {
    pub(crate) fn new(created: &CreatedWebhook) -> Self {
        Self {
            webhook: WebhookBody::new(&created.webhook),
            secret: created.secret.text().to_string(),
        }
    }
}

/// A message that was sent to a webhook, or will be.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookDelivery)]
pub(crate) struct DeliveryBody {
    /// The `webhook-id` of the message.
    #[schema(format = "uuid")]
    id: String,
    /// The type of the event.
    event: &'static str,
    /// The lookup or batch; the webhook itself for a test.
    #[schema(format = "uuid")]
    subject: String,
    /// `pending`, `delivered`, `failed` or `discarded`.
    state: &'static str,
    #[schema(format = "date-time")]
    created_at: String,
    /// Time of the next attempt; null once it has ended.
    #[schema(required = true, format = "date-time")]
    next_attempt_at: Option<String>,
    attempts: u32,
    #[schema(required = true)]
    last_attempt: Option<AttemptBody>,
}

/// An attempt to send a message.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookAttempt)]
struct AttemptBody {
    #[schema(format = "date-time")]
    at: String,
    duration_ms: u64,
    /// The status of the answer; null when there was none.
    #[schema(required = true)]
    status: Option<u16>,
    /// Reason for which there was no answer: `address_refused`, `name_not_found`, `unreachable`, `timed_out`,
    /// `invalid_answer` or `not_signed`.
    #[schema(required = true)]
    failure: Option<&'static str>,
    /// The first 500 bytes of the answer, as text. It is whatever the receiver wrote.
    answer: String,
}

impl AttemptBody {
    fn new(attempt: &DeliveryAttempt) -> Self {
        Self {
            at: instant(attempt.at),
            duration_ms: u64::try_from(attempt.duration.as_millis()).unwrap_or(u64::MAX),
            status: attempt.result.status(),
            failure: attempt.result.failure().map(SendFailure::name),
            answer: attempt.answer.as_str().to_owned(),
        }
    }
}

impl DeliveryBody {
    pub(crate) fn new(view: &DeliveryView) -> Self {
        Self {
            id: view.id.to_string(),
            event: view.kind.name(),
            subject: view.subject.to_string(),
            state: view.state.name(),
            created_at: instant(view.created_at),
            next_attempt_at: view.next_attempt_at.map(instant),
            attempts: view.attempts,
            last_attempt: view.last_attempt.as_ref().map(AttemptBody::new),
        }
    }
}

fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
