//! Ports: webhooks' endpoints, the queue of their deliveries, and what sends a message.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::{AuditContext, WebhookFacts};
use domain::customer::CustomerId;
use domain::key::{Environment, HashGeneration};
use domain::page::{Page, PageRequest};
use domain::webhook::{
    DeliveryAttempt, DeliveryId, DeliveryState, DisabledReason, EndpointHealth, EndpointId,
    EndpointState, EventType, EventTypes, MAX_ENDPOINTS, NextDelivery, RotatedSecrets, SendFailure,
    WebhookEvent, WebhookUrl,
};
use uuid::Uuid;

use super::{Lease, ListError, StoreError};

/// Port: webhooks' endpoints, and the queue of their deliveries. Every method is one atomic step.
///
/// [`LookupStore::end_claim`](super::LookupStore::end_claim) adds a delivery to each enabled endpoint of the
/// lookup's customer and environment that is told of such an end, in the same step.
///
/// A pending delivery is *due* at an instant: that of its next attempt, or the end of the lease of whoever
/// claimed it.
#[async_trait]
pub trait WebhookStore: Send + Sync {
    /// Adds an endpoint, and its audit entry. MUST refuse more than [`MAX_ENDPOINTS`] of a customer, also
    /// when they are added at once.
    async fn add_endpoint(
        &self,
        endpoint: &StoredEndpoint,
        act: &AuditContext,
    ) -> Result<(), AddEndpointError>;

    /// Endpoints of a customer, oldest first.
    async fn endpoints(&self, customer: CustomerId) -> Result<Vec<StoredEndpoint>, StoreError>;

    /// One endpoint of a customer; `None` when it has none with this id.
    async fn endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
    ) -> Result<Option<StoredEndpoint>, StoreError>;

    /// Changes an endpoint of a customer, writes its audit entry, and returns it after the change; `None`
    /// when there is none. One that is disabled discards its pending deliveries.
    async fn change_endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
        change: &EndpointChange,
        act: &AuditContext,
    ) -> Result<Option<StoredEndpoint>, StoreError>;

    /// Disables every enabled endpoint of all customers, for this reason, and discards their pending deliveries.
    /// Returns the number of these endpoints. No change of the owners', so without audit entries.
    async fn disable_all_endpoints(
        &self,
        reason: DisabledReason,
        at: DateTime<Utc>,
    ) -> Result<u64, StoreError>;

    /// Up to `most` endpoints after one, in the order of their ids, a secret of which is encrypted with another
    /// generation than this.
    async fn endpoints_to_reencrypt(
        &self,
        newest: HashGeneration,
        after: Option<EndpointId>,
        most: u32,
    ) -> Result<Vec<StoredEndpoint>, StoreError>;

    /// Replaces the encrypted secrets of an endpoint, unless they aren't those of `before` any more; returns
    /// whether it did. No change of the owner's, so without an audit entry.
    async fn reencrypt_endpoint(
        &self,
        before: &StoredEndpoint,
        secrets: &RotatedSecrets<EncryptedSecret>,
    ) -> Result<bool, StoreError>;

    /// Removes an endpoint of a customer with its deliveries, and writes its audit entry. Returns `false` if
    /// there is none.
    async fn remove_endpoint(
        &self,
        customer: CustomerId,
        id: EndpointId,
        act: &AuditContext,
    ) -> Result<bool, StoreError>;

    /// Adds a delivery of an event to one endpoint, due at once, whichever events it is told; `None` when
    /// the event's customer has no such endpoint.
    async fn add_delivery(
        &self,
        endpoint: EndpointId,
        event: &WebhookEvent,
    ) -> Result<Option<StoredDelivery>, StoreError>;

    /// Deliveries to an endpoint of a customer, newest first, one page without a total.
    async fn deliveries(
        &self,
        customer: CustomerId,
        endpoint: EndpointId,
        page: &PageRequest,
    ) -> Result<Page<StoredDelivery>, ListError>;

    /// Makes a delivery that has ended pending again, due at once, with all attempts of the schedule before
    /// it.
    async fn resend(
        &self,
        customer: CustomerId,
        endpoint: EndpointId,
        id: DeliveryId,
        now: DateTime<Utc>,
    ) -> Result<Resending, StoreError>;

    /// Claims up to `most` due deliveries, under this lease. Endpoints take turns, each with as many as
    /// [`free_places`](domain::webhook::free_places) allows. Within an endpoint the one that is due first
    /// goes first. MUST NOT claim one for two callers.
    async fn claim_deliveries(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedDelivery>, StoreError>;

    /// Records the attempt of a claimed delivery, and what comes next. An endpoint that wants nothing more,
    /// or had no success in 120 hours, is disabled. An attempt that doesn't count is no step of the schedule,
    /// and no failure of the endpoint. Returns the endpoint's state; `None`, and changes
    /// nothing, if the lease isn't held any more.
    async fn end_delivery(&self, end: &DeliveryEnd) -> Result<Option<EndpointState>, StoreError>;

    /// Discards a claimed delivery, whose endpoint is disabled. Does nothing if the lease isn't held any
    /// more.
    async fn discard_delivery(
        &self,
        id: DeliveryId,
        token: Uuid,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Removes deliveries that ended before an instant; returns their number.
    async fn prune_deliveries(&self, before: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Length and age of the queue.
    async fn delivery_queue(&self, now: DateTime<Utc>) -> Result<QueuedDeliveries, StoreError>;
}

/// A secret of an endpoint, encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedSecret {
    /// Generation of the operator's secret that it is encrypted with.
    pub generation: HashGeneration,
    /// The secret, encrypted.
    pub content: Vec<u8>,
}

/// An endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEndpoint {
    /// The id.
    pub id: EndpointId,
    /// The customer.
    pub customer: CustomerId,
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
    /// Its secrets.
    pub secrets: RotatedSecrets<EncryptedSecret>,
}

impl StoredEndpoint {
    /// Result of its latest attempts.
    pub fn health(&self) -> EndpointHealth {
        match self.failing_since {
            Some(_) => EndpointHealth::Failing,
            None => EndpointHealth::Answering,
        }
    }

    /// Facts for the audit log.
    pub fn audited(&self) -> WebhookFacts {
        WebhookFacts {
            id: self.id,
            host: self.url.url().host_str().unwrap_or_default().to_owned(),
            events: self.events.clone(),
            state: self.state,
        }
    }

    /// The endpoint after a change by its owner.
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

/// Change of an endpoint by its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndpointChange {
    /// Other settings; those that are `None` stay.
    Settings {
        /// The address.
        url: Option<WebhookUrl>,
        /// The events.
        events: Option<EventTypes>,
        /// The state. One that is disabled already stays so, for its reason.
        state: Option<EndpointState>,
    },
    /// The current secret becomes the previous one, for a day.
    RotateSecret(EncryptedSecret),
}

/// Error of adding an endpoint.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AddEndpointError {
    /// The customer has as many as it may have.
    #[error("a customer has at most {MAX_ENDPOINTS} endpoints")]
    TooMany,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A delivery of one message to one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDelivery {
    /// The id.
    pub id: DeliveryId,
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The customer.
    pub customer: CustomerId,
    /// Type of the event.
    pub kind: EventType,
    /// Id of the lookup or batch.
    pub subject: Uuid,
    /// The message.
    pub body: String,
    /// Time of the event.
    pub created_at: DateTime<Utc>,
    /// The state.
    pub state: DeliveryState,
    /// Time at which it is due; `None` once it has ended.
    pub due_at: Option<DateTime<Utc>>,
    /// Number of attempts.
    pub attempts: u32,
    /// Number of attempts that count, since it was sent again if it was.
    pub step: u32,
    /// The last attempt.
    pub last_attempt: Option<DeliveryAttempt>,
}

impl StoredDelivery {
    /// A delivery of an event, due at once.
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
    /// It is pending now.
    Pending(Box<StoredDelivery>),
    /// It was pending already.
    AlreadyPending,
    /// Its endpoint is disabled.
    Disabled,
    /// The customer has no such delivery.
    Unknown,
}

/// A delivery that was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// The delivery.
    pub delivery: StoredDelivery,
    /// Its endpoint.
    pub endpoint: StoredEndpoint,
}

/// End of a claimed delivery's attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryEnd {
    /// The delivery.
    pub id: DeliveryId,
    /// Its endpoint.
    pub endpoint: EndpointId,
    /// The token of its lease.
    pub token: Uuid,
    /// The attempt.
    pub attempt: DeliveryAttempt,
    /// The next attempt, or the end.
    pub next: NextDelivery,
}

/// Length and age of the queue of deliveries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueuedDeliveries {
    /// Deliveries that are due and nobody works on.
    pub due: u64,
    /// Deliveries that wait for a later attempt, or that somebody works on.
    pub waiting: u64,
    /// Time at which the oldest due one became due.
    pub oldest: Option<DateTime<Utc>>,
}

/// A signed message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingMessage {
    /// The address.
    pub url: WebhookUrl,
    /// Its id.
    pub id: DeliveryId,
    /// Time of the attempt.
    pub at: DateTime<Utc>,
    /// Its signatures.
    pub signature: String,
    /// Its body.
    pub body: String,
}

/// A receiver's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverAnswer {
    /// The status.
    pub status: u16,
    /// Time after which the receiver wants the next attempt.
    pub retry_after: Option<Duration>,
    /// Beginning of the body.
    pub body: Vec<u8>,
}

/// Port: sends messages. MUST NOT send a single byte to an address that isn't allowed, whichever name leads
/// to it, follow no redirect, and take at most 15 seconds.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends a message once.
    ///
    /// # Errors
    /// There was no answer.
    async fn send(&self, message: &OutgoingMessage) -> Result<ReceiverAnswer, SendFailure>;
}
