//! Ports: the store of webhooks and of their deliveries, and the sender of messages.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::{AuditContext, WebhookFacts};
use domain::keys::{Environment, HashGeneration};
use domain::page::{Page, PageRequest};
use domain::people::customer::CustomerId;
use domain::webhooks::{
    DeliveryAttempt, DeliveryId, DeliveryState, DisabledReason, EndpointHealth, EndpointId,
    EndpointState, EventType, EventTypes, MAX_ENDPOINTS, NextDelivery, RotatedSecrets, SendFailure,
    WebhookEvent, WebhookUrl,
};
use uuid::Uuid;

use super::{Lease, ListError, StoreError};

/// Port: webhooks and the queue of their deliveries. Every method is one atomic step.
///
/// [`LookupStore::end_claim`](super::LookupStore::end_claim) adds, in the same step, a delivery to each
/// enabled webhook of the lookup's customer and environment that subscribes to the event.
///
/// A pending delivery is *due* at an instant: the time of its next attempt, or the end of its lease once
/// claimed.
#[async_trait]
pub trait WebhookStore: Send + Sync {
    /// Adds a webhook and its audit entry. MUST refuse to exceed [`MAX_ENDPOINTS`] of a customer, also for
    /// concurrent calls.
    async fn add_endpoint(
        &self,
        endpoint: &StoredEndpoint,
        act: &AuditContext,
    ) -> Result<(), AddEndpointError>;

    /// A customer's webhooks, oldest first.
    async fn endpoints(&self, customer: CustomerId) -> Result<Vec<StoredEndpoint>, StoreError>;

    /// A customer's webhook; `None` if the customer has none with this id.
    async fn endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
    ) -> Result<Option<StoredEndpoint>, StoreError>;

    /// Changes a customer's webhook, writes its audit entry, and returns the changed webhook; `None` if there
    /// is none. Disabling it discards its pending deliveries.
    async fn change_endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
        change: &EndpointChange,
        act: &AuditContext,
    ) -> Result<Option<StoredEndpoint>, StoreError>;

    /// Disables all enabled webhooks of all customers for this reason, and discards their pending deliveries.
    /// Returns the number of disabled webhooks. Writes no audit entries, since no owner made the change.
    async fn disable_all_endpoints(
        &self,
        reason: DisabledReason,
        at: DateTime<Utc>,
    ) -> Result<u64, StoreError>;

    /// Up to `most` webhooks with ids after `after`, in order of id, that have a secret encrypted under a
    /// generation other than `newest`.
    async fn endpoints_to_reencrypt(
        &self,
        newest: HashGeneration,
        after: Option<EndpointId>,
        most: u32,
    ) -> Result<Vec<StoredEndpoint>, StoreError>;

    /// Replaces a webhook's encrypted secrets if they still are those of `before`; returns `true` if so.
    /// Writes no audit entry, since no owner made the change.
    async fn reencrypt_endpoint(
        &self,
        before: &StoredEndpoint,
        secrets: &RotatedSecrets<EncryptedSecret>,
    ) -> Result<bool, StoreError>;

    /// Removes a customer's webhook with its deliveries, and writes its audit entry. Returns `false` if there
    /// is none.
    async fn remove_endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
        act: &AuditContext,
    ) -> Result<bool, StoreError>;

    /// Adds a delivery of an event to one webhook, due at once, even if the webhook doesn't subscribe to the
    /// event; `None` if the event's customer has no such webhook.
    async fn add_delivery(
        &self,
        endpoint: EndpointId,
        event: &WebhookEvent,
    ) -> Result<Option<StoredDelivery>, StoreError>;

    /// Deliveries to a customer's webhook, newest first: one page, without a total.
    async fn deliveries(
        &self,
        customer: CustomerId,
        endpoint: EndpointId,
        page: &PageRequest,
    ) -> Result<Page<StoredDelivery>, ListError>;

    /// Makes an ended delivery pending again, due at once, and restarts its schedule of attempts.
    async fn resend(
        &self,
        customer: CustomerId,
        endpoint: EndpointId,
        id: DeliveryId,
        now: DateTime<Utc>,
    ) -> Result<Resending, StoreError>;

    /// Claims up to `most` due deliveries under this lease. Webhooks take turns, each with at most
    /// [`free_places`](domain::webhooks::free_places). Within a webhook, the longest due goes first. MUST NOT
    /// give one delivery to two callers.
    async fn claim_deliveries(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedDelivery>, StoreError>;

    /// Records the attempt of a claimed delivery, and schedules the next one or ends the delivery. Disables a
    /// webhook that answered 410 Gone, or had no success in 120 hours. An attempt that doesn't count neither
    /// advances the schedule nor counts as a failure of the webhook. Returns the webhook's state; `None`, and
    /// changes nothing, if the lease is lost.
    async fn end_delivery(&self, end: &DeliveryEnd) -> Result<Option<EndpointState>, StoreError>;

    /// Discards a claimed delivery whose webhook is disabled. Does nothing if the lease is lost.
    async fn discard_delivery(
        &self,
        id: DeliveryId,
        token: Uuid,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Removes deliveries that ended before an instant; returns the number of removed deliveries.
    async fn prune_deliveries(&self, before: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Length and age of the queue of deliveries.
    async fn delivery_queue(&self, now: DateTime<Utc>) -> Result<QueuedDeliveries, StoreError>;
}

/// An encrypted signing secret of a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedSecret {
    /// Generation of the store secret that it is encrypted with.
    pub generation: HashGeneration,
    /// The signing secret, encrypted.
    pub content: Vec<u8>,
}

/// A webhook as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEndpoint {
    /// The webhook's id.
    pub id: EndpointId,
    /// The owner.
    pub customer: CustomerId,
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
    /// Current signing secret, and the previous one for a day after a rotation.
    pub secrets: RotatedSecrets<EncryptedSecret>,
}

impl StoredEndpoint {
    /// Health by the latest attempts: failing since the last success, or not.
    pub fn health(&self) -> EndpointHealth {
        match self.failing_since {
            Some(_) => EndpointHealth::Failing,
            None => EndpointHealth::Answering,
        }
    }

    /// Webhook attributes that audit entries contain.
    pub fn audited(&self) -> WebhookFacts {
        WebhookFacts {
            id: self.id,
            host: self.url.url().host_str().unwrap_or_default().to_owned(),
            events: self.events.clone(),
            state: self.state,
        }
    }

    /// Copy of the webhook with a change by its owner applied.
    #[must_use]
    pub fn after(&self, change: &EndpointChange, at: DateTime<Utc>) -> Self {
        let mut changed = Self {
            updated_at: at,
            ..self.clone()
        };
        match change {
            EndpointChange::Settings { url, events, state } => {
                changed.url = url.clone().unwrap_or(changed.url);
                changed.events = events.clone().unwrap_or(changed.events);
                if let Some(state) = state
                    && state.is_enabled() != changed.state.is_enabled()
                {
                    changed.state = *state;
                    changed.failing_since = None;
                }
            }
            EndpointChange::RotateSecret(secret) => {
                changed.secrets = changed.secrets.rotated(secret.clone(), at);
            }
        }
        changed
    }
}

/// Change of a webhook by its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndpointChange {
    /// Changed settings; those that are `None` are kept.
    Settings {
        /// New target URL.
        url: Option<WebhookUrl>,
        /// New types of events to subscribe to.
        events: Option<EventTypes>,
        /// New state. If the webhook is disabled already, disabling it keeps the recorded reason.
        state: Option<EndpointState>,
    },
    /// New signing secret; the current one remains valid as the previous one for a day.
    RotateSecret(EncryptedSecret),
}

/// Error of [`WebhookStore::add_endpoint`].
#[derive(Clone, Debug, thiserror::Error)]
pub enum AddEndpointError {
    /// The customer has reached the maximum number of webhooks.
    #[error("a customer has at most {MAX_ENDPOINTS} endpoints")]
    TooMany,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A delivery of one message to one webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDelivery {
    /// The delivery's id, derived from webhook and event.
    pub id: DeliveryId,
    /// The webhook that gets the message.
    pub endpoint: EndpointId,
    /// The webhook's owner.
    pub customer: CustomerId,
    /// Type of the event.
    pub kind: EventType,
    /// Id of the lookup or batch that the event is about.
    pub subject: Uuid,
    /// The message's body, as JSON.
    pub body: String,
    /// Time of the event.
    pub created_at: DateTime<Utc>,
    /// Pending, or how the delivery ended.
    pub state: DeliveryState,
    /// Time of the next attempt or end of the lease; `None` once the delivery has ended.
    pub due_at: Option<DateTime<Utc>>,
    /// Number of all attempts.
    pub attempts: u32,
    /// Number of attempts that count for the schedule, since the delivery was last sent again.
    pub step: u32,
    /// The last attempt; `None` before the first one.
    pub last_attempt: Option<DeliveryAttempt>,
}

impl StoredDelivery {
    /// A pending delivery of an event, due at once.
    pub fn of(endpoint: EndpointId, event: &WebhookEvent) -> Self {
        Self {
            id: event.delivery(endpoint),
            endpoint,
            customer: event.customer,
            kind: event.kind,
            subject: event.subject,
            body: event.body(),
            created_at: event.at,
            state: DeliveryState::Pending,
            due_at: Some(event.at),
            attempts: 0,
            step: 0,
            last_attempt: None,
        }
    }
}

/// Result of [`WebhookStore::resend`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resending {
    /// The delivery is pending again.
    Pending(Box<StoredDelivery>),
    /// The delivery was pending already; nothing was changed.
    AlreadyPending,
    /// The webhook is disabled; nothing was changed.
    Disabled,
    /// The customer has no such delivery.
    Unknown,
}

/// A claimed delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// The delivery as of the claim.
    pub delivery: StoredDelivery,
    /// The webhook that gets the message.
    pub endpoint: StoredEndpoint,
}

/// Result of an attempt of a claimed delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryEnd {
    /// The delivery's id.
    pub id: DeliveryId,
    /// The webhook's id.
    pub endpoint: EndpointId,
    /// Token of the lease.
    pub token: Uuid,
    /// The attempt to record.
    pub attempt: DeliveryAttempt,
    /// Time of the next attempt, or the end of the delivery.
    pub next: NextDelivery,
}

/// Length and age of the queue of deliveries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueuedDeliveries {
    /// Number of deliveries that are due and not claimed.
    pub due: u64,
    /// Number of deliveries that wait for a later attempt or are claimed.
    pub waiting: u64,
    /// Time at which the oldest due delivery became due; `None` if none is due.
    pub oldest: Option<DateTime<Utc>>,
}

/// A signed message to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingMessage {
    /// Target URL.
    pub url: WebhookUrl,
    /// Id of the delivery, which is sent as the message's id.
    pub id: DeliveryId,
    /// Time of the attempt, which is part of the signed content.
    pub at: DateTime<Utc>,
    /// Value of the signature header, with one signature for each valid secret.
    pub signature: String,
    /// Body of the request.
    pub body: String,
}

/// A webhook target's answer to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverAnswer {
    /// HTTP status code.
    pub status: u16,
    /// Time until the next attempt that the target asks for (`Retry-After`); `None` if it doesn't.
    pub retry_after: Option<Duration>,
    /// Beginning of the answer's body.
    pub body: Vec<u8>,
}

/// Port: sends webhook messages. MUST NOT send anything to an address that isn't allowed, even if a host name
/// resolves to it, MUST NOT follow redirects, and MUST end within 15 seconds.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends a message with a single HTTP request.
    ///
    /// # Errors
    /// No answer was received.
    async fn send(&self, message: &OutgoingMessage) -> Result<ReceiverAnswer, SendFailure>;
}
