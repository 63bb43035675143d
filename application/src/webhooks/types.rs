//! Requests, views and errors of webhooks, for people with a session.

use chrono::{DateTime, Utc};
use domain::keys::Environment;
use domain::webhooks::{
    AttemptsLeft, DeliveryAttempt, DeliveryId, DeliveryState, EndpointId, EndpointSecret,
    EndpointState, EventType, EventTypes, EventTypesError, MAX_ENDPOINTS, UrlError, WebhookUrl,
};
use uuid::Uuid;

use ports::{Cause, StoreError};

/// A webhook to add.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// Target URL, not validated yet.
    pub url: String,
    /// Types of events to subscribe to.
    pub events: Vec<EventType>,
    /// The environment whose events are sent.
    pub environment: Environment,
}

/// Changes of a webhook; settings that are `None` are kept.
#[derive(Clone, Debug, Default)]
pub struct WebhookChange {
    /// New target URL, not validated yet.
    pub url: Option<String>,
    /// New types of events to subscribe to.
    pub events: Option<Vec<EventType>>,
    /// Enables or disables the webhook.
    pub switch: Option<WebhookSwitch>,
}

/// State of a webhook that its owner can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookSwitch {
    /// Events are sent.
    Enable,
    /// No events are sent.
    Disable,
}

impl WebhookSwitch {
    /// `Enable` if `enabled` is `true`, otherwise `Disable`.
    pub fn of(enabled: bool) -> Self {
        if enabled { Self::Enable } else { Self::Disable }
    }
}

/// A webhook with a new signing secret.
#[derive(Clone, Debug)]
pub struct CreatedWebhook {
    /// The webhook, after the change.
    pub webhook: WebhookView,
    /// The new signing secret.
    pub secret: EndpointSecret,
}

/// A webhook without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookView {
    /// Id of the webhook.
    pub id: EndpointId,
    /// The environment whose events are sent.
    pub environment: Environment,
    /// Target URL of the messages.
    pub url: WebhookUrl,
    /// Types of events that the webhook subscribes to.
    pub events: EventTypes,
    /// Enabled, or disabled for a reason.
    pub state: EndpointState,
    /// Time of the first failure since the last success; `None` if the last attempt succeeded or there was
    /// none.
    pub failing_since: Option<DateTime<Utc>>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time of the last change by the owner.
    pub updated_at: DateTime<Utc>,
    /// Time until which messages are also signed with the previous secret; `None` without one.
    pub previous_secret_until: Option<DateTime<Utc>>,
}

/// A delivery of one event to a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryView {
    /// Id of the delivery, sent as the header `webhook-id`.
    pub id: DeliveryId,
    /// Type of the event.
    pub kind: EventType,
    /// Id of the lookup or batch that the event is about; for a test, id of the webhook.
    pub subject: Uuid,
    /// Pending, or how the delivery ended.
    pub state: DeliveryState,
    /// Time of the event.
    pub created_at: DateTime<Utc>,
    /// Time of the next attempt; `None` once the delivery has ended.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// Remaining attempts; `None` once the delivery has ended.
    pub attempts_left: Option<AttemptsLeft>,
    /// Number of attempts so far.
    pub attempts: u32,
    /// The last attempt; `None` before the first one.
    pub last_attempt: Option<DeliveryAttempt>,
}

/// Error of reading or changing webhooks.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WebhookError {
    /// The account has no such webhook or delivery.
    #[error("it doesn't exist")]
    NotFound,
    /// The target URL isn't accepted.
    #[error("the address {0}")]
    Url(#[from] UrlError),
    /// The list of event types isn't accepted.
    #[error("{0}")]
    Events(#[from] EventTypesError),
    /// The account has reached the maximum number of webhooks.
    #[error("an account has at most {MAX_ENDPOINTS} webhooks")]
    TooMany,
    /// The webhook is disabled, so nothing can be sent.
    #[error("the webhook is disabled")]
    Disabled,
    /// The delivery is pending and can't be sent again.
    #[error("the delivery is still tried")]
    Pending,
    /// The cursor belongs to another list.
    #[error("the cursor belongs to another list")]
    Cursor,
    /// The store or the cipher failed.
    #[error("the store of webhooks failed: {0}")]
    Store(Cause),
}

impl From<StoreError> for WebhookError {
    fn from(error: StoreError) -> Self {
        Self::Store(std::sync::Arc::new(error))
    }
}
