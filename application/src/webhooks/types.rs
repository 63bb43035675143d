//! Inbound port: webhooks of people with a session.

use chrono::{DateTime, Utc};
use domain::key::Environment;
use domain::webhook::{
    AttemptsLeft, DeliveryAttempt, DeliveryId, DeliveryState, EndpointId, EndpointSecret,
    EndpointState, EventType, EventTypes, EventTypesError, MAX_ENDPOINTS, UrlError, WebhookUrl,
};
use uuid::Uuid;

use ports::{Cause, StoreError};

/// An endpoint to add.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// Its address.
    pub url: String,
    /// The events that it is told.
    pub events: Vec<EventType>,
    /// The environment whose events it is told.
    pub environment: Environment,
}

/// Change of an endpoint: what is given here.
#[derive(Clone, Debug, Default)]
pub struct WebhookChange {
    /// The address.
    pub url: Option<String>,
    /// The events.
    pub events: Option<Vec<EventType>>,
    /// The state.
    pub switch: Option<WebhookSwitch>,
}

/// State that an owner gives an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookSwitch {
    /// Events are sent to it.
    Enable,
    /// Nothing is sent to it.
    Disable,
}

impl WebhookSwitch {
    /// The switch that makes an endpoint enabled, or not.
    pub fn of(enabled: bool) -> Self {
        if enabled { Self::Enable } else { Self::Disable }
    }
}

/// An endpoint with a new secret.
#[derive(Clone, Debug)]
pub struct CreatedWebhook {
    /// The endpoint.
    pub webhook: WebhookView,
    /// The secret.
    pub secret: EndpointSecret,
}

/// An endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookView {
    /// The id.
    pub id: EndpointId,
    /// The environment whose events it is told.
    pub environment: Environment,
    /// Its address.
    pub url: WebhookUrl,
    /// The events that it is told.
    pub events: EventTypes,
    /// Its state.
    pub state: EndpointState,
    /// Time of the first failure since the last success; `None` without one.
    pub failing_since: Option<DateTime<Utc>>,
    /// Time of its creation.
    pub created_at: DateTime<Utc>,
    /// Time of the last change by its owner.
    pub updated_at: DateTime<Utc>,
    /// Time until which the secret before the current one signs, too.
    pub previous_secret_until: Option<DateTime<Utc>>,
}

/// A delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryView {
    /// The id, which is the message's `webhook-id`.
    pub id: DeliveryId,
    /// Type of the event.
    pub kind: EventType,
    /// Id of the lookup or batch; the endpoint's own for a test.
    pub subject: Uuid,
    /// The state.
    pub state: DeliveryState,
    /// Time of the event.
    pub created_at: DateTime<Utc>,
    /// Time of the next attempt; `None` once it has ended.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// The attempts that are still to be made; `None` once it has ended.
    pub attempts_left: Option<AttemptsLeft>,
    /// Number of attempts.
    pub attempts: u32,
    /// The last one.
    pub last_attempt: Option<DeliveryAttempt>,
}

/// Error of reading or changing webhooks.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WebhookError {
    /// The account has no such endpoint, or delivery.
    #[error("it doesn't exist")]
    NotFound,
    /// The address is refused.
    #[error("the address {0}")]
    Url(#[from] UrlError),
    /// The events are refused.
    #[error("{0}")]
    Events(#[from] EventTypesError),
    /// The account has as many endpoints as it may have.
    #[error("an account has at most {MAX_ENDPOINTS} webhooks")]
    TooMany,
    /// The endpoint is disabled.
    #[error("the webhook is disabled")]
    Disabled,
    /// The delivery is pending, so it can't be sent again.
    #[error("the delivery is still tried")]
    Pending,
    /// The cursor belongs to another list.
    #[error("the cursor belongs to another list")]
    Cursor,
    /// The store, or the cipher, failed.
    #[error("the store of webhooks failed: {0}")]
    Store(Cause),
}

impl From<StoreError> for WebhookError {
    fn from(error: StoreError) -> Self {
        Self::Store(std::sync::Arc::new(error))
    }
}
