//! Webhooks, and the deliveries to them.

use application::{DeliveryView, WebhookView};
use async_graphql::{Enum, SimpleObject};
use domain::webhooks::{self, EndpointState};
use serde::Serialize;
use utoipa::ToSchema;

use super::keys::Environment;
use super::scalars::{DateTime, Id, int};

/// Event that a webhook is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::webhooks::EventType")]
#[serde(rename_all = "snake_case")]
pub enum WebhookEvent {
    /// A lookup ended with its proof.
    #[serde(rename = "lookup.delivered")]
    LookupDelivered,
    /// A lookup ended, as several transfers have the reference number.
    #[serde(rename = "lookup.ambiguous")]
    LookupAmbiguous,
    /// A lookup ended, as the bank knows no such transfer.
    #[serde(rename = "lookup.not_found")]
    LookupNotFound,
    /// A lookup ended without an answer of the bank.
    #[serde(rename = "lookup.failed")]
    LookupFailed,
    /// A lookup ended, as the bank issued no proof in time.
    #[serde(rename = "lookup.expired")]
    LookupExpired,
    /// A batch ended.
    #[serde(rename = "batch.finished")]
    BatchFinished,
    /// A batch waits for quota.
    #[serde(rename = "batch.paused")]
    BatchPaused,
    /// A test, sent on request. Nobody subscribes to it.
    #[graphql(name = "WEBHOOK_TEST")]
    #[serde(rename = "webhook.test")]
    Test,
}

/// Reason for which nothing is sent to a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::webhooks::DisabledReason")]
#[serde(rename_all = "snake_case")]
pub enum WebhookDisabledReason {
    /// Its owner disabled it.
    Owner,
    /// It answered 410 Gone.
    Gone,
    /// It had no success in 120 hours.
    Failing,
    /// The database was restored from a copy, which may have a webhook that was removed since: look at it,
    /// and enable it.
    Restored,
}

/// State of a delivery to a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::webhooks::DeliveryState")]
#[serde(rename_all = "snake_case")]
pub enum WebhookDeliveryState {
    /// It waits for its next attempt, or one is being made.
    Pending,
    /// The receiver accepted it.
    Delivered,
    /// Every attempt failed.
    Failed,
    /// Its webhook was disabled before it was accepted.
    Discarded,
}

/// Reason why a message to a webhook got no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::webhooks::SendFailure")]
#[serde(rename_all = "snake_case")]
pub enum WebhookFailure {
    /// The address isn't of the public internet.
    AddressRefused,
    /// The name has no address.
    NameNotFound,
    /// No connection, or no secure one.
    Unreachable,
    /// No complete answer in time.
    TimedOut,
    /// Something that isn't HTTP.
    InvalidAnswer,
    /// The gateway could not sign the message; its operator has to list the secret of that time again.
    NotSigned,
}

/// A webhook: a target URL that is notified when lookups and batches end.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct Webhook {
    /// Id of the webhook.
    id: Id,
    /// The environment whose events it is told.
    env: Environment,
    /// Address of the messages.
    url: String,
    /// The events that it is told, each once.
    events: Vec<WebhookEvent>,
    /// True when events are sent to it.
    enabled: bool,
    /// Reason for which nothing is sent to it; null while it is enabled.
    #[schema(required)]
    disabled_reason: Option<WebhookDisabledReason>,
    /// Time since when nothing is sent to it; null while it is enabled.
    #[schema(required)]
    disabled_at: Option<DateTime>,
    /// Time of the first failure since the last success; null without one.
    #[schema(required)]
    failing_since: Option<DateTime>,
    /// Time until which the secret before the current one signs, too; null without one.
    #[schema(required)]
    previous_secret_until: Option<DateTime>,
    /// Time of its creation.
    created_at: DateTime,
    /// Time of the last change by its owner.
    updated_at: DateTime,
}

impl From<&WebhookView> for Webhook {
    fn from(view: &WebhookView) -> Self {
        let disabled = match view.state {
            EndpointState::Enabled => None,
            EndpointState::Disabled { reason, at } => Some((reason.into(), DateTime(at))),
        };
        let (disabled_reason, disabled_at) = disabled.unzip();
        let events = view.events.list().iter().copied();
        Self {
            id: view.id.into(),
            env: view.environment.into(),
            url: view.url.as_str().to_owned(),
            events: events.map(WebhookEvent::from).collect(),
            enabled: view.state.is_enabled(),
            disabled_reason,
            disabled_at,
            failing_since: view.failing_since.map(DateTime),
            previous_secret_until: view.previous_secret_until.map(DateTime),
            created_at: DateTime(view.created_at),
            updated_at: DateTime(view.updated_at),
        }
    }
}

/// A message that was sent to a webhook, or will be.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct WebhookDelivery {
    /// The `webhook-id` of the message, the same at each attempt.
    id: Id,
    /// The event.
    event: WebhookEvent,
    /// The lookup or batch that it tells of; the webhook itself for a test.
    subject_id: Id,
    /// Its state.
    state: WebhookDeliveryState,
    /// Time of the event.
    created_at: DateTime,
    /// Time of the next attempt; null once it has ended.
    #[schema(required)]
    next_attempt_at: Option<DateTime>,
    /// Number of attempts that ended.
    attempt_count: u32,
    /// Number of attempts that are still to be made as long as each fails; 0 once it has ended.
    attempts_left: u32,
    /// Planned time of the last one of them; null once it has ended.
    #[schema(required)]
    final_attempt_at: Option<DateTime>,
    /// The last one; null before the first one ends.
    #[schema(required)]
    last_attempt: Option<WebhookAttempt>,
}

/// An attempt to send a message.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct WebhookAttempt {
    /// Time of its end.
    at: DateTime,
    /// Its duration in milliseconds.
    duration_ms: u32,
    /// The status of the answer; null when there was none.
    #[schema(required)]
    status: Option<u16>,
    /// Reason for which there was no answer; null when there was one.
    #[schema(required)]
    failure: Option<WebhookFailure>,
    /// The first 500 bytes of the answer, as text. It is whatever the receiver wrote.
    answer: String,
}

impl From<&DeliveryView> for WebhookDelivery {
    fn from(view: &DeliveryView) -> Self {
        Self {
            id: view.id.into(),
            event: view.kind.into(),
            subject_id: view.subject.into(),
            state: view.state.into(),
            created_at: DateTime(view.created_at),
            next_attempt_at: view.next_attempt_at.map(DateTime),
            attempt_count: view.attempts,
            attempts_left: view.attempts_left.map_or(0, |left| left.count),
            final_attempt_at: view.attempts_left.map(|left| DateTime(left.last_at)),
            last_attempt: view.last_attempt.as_ref().map(WebhookAttempt::from),
        }
    }
}

impl From<&webhooks::DeliveryAttempt> for WebhookAttempt {
    fn from(attempt: &webhooks::DeliveryAttempt) -> Self {
        Self {
            at: DateTime(attempt.at),
            duration_ms: int(attempt.duration.as_millis()),
            status: attempt.result.status(),
            failure: attempt.result.failure().map(WebhookFailure::from),
            answer: attempt.answer.as_str().to_owned(),
        }
    }
}
