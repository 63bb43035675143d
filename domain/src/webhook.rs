//! Webhooks: messages to customers' servers about the ends of lookups and batches, as Standard Webhooks
//! 1.0.0 describes them.

use std::fmt;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::variants::named_enum;

mod address;
mod attempt;
mod event;
mod schedule;
mod secret;
mod signature;
mod turns;
mod url;

pub use address::is_public;
pub use attempt::{AnswerText, AttemptResult, DeliveryAttempt, MAX_ANSWER_BYTES, SendFailure};
pub use event::{EventType, EventTypes, EventTypesError, LookupEnd, WebhookEvent};
pub use schedule::{
    AttemptsLeft, GIVE_UP_AFTER, Jitter, MAX_STEPS, NextDelivery, attempts_left, next_delivery,
    next_uncounted,
};
pub use secret::{
    EndpointSecret, RotatedSecrets, SECRET_BYTES, SECRET_PREFIX, SECRETS_OVERLAP, WebhookSecrets,
};
pub use signature::{HEADER_ID, HEADER_SIGNATURE, HEADER_TIMESTAMP, signature};
pub use turns::{EndpointHealth, free_places};
pub use url::{Reach, UrlError, WebhookUrl};

/// Endpoints that a customer may have, in both environments together.
pub const MAX_ENDPOINTS: usize = 10;

/// Id of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EndpointId(pub Uuid);

/// Id of a delivery: the message's `webhook-id`, the same at each of its attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeliveryId(pub Uuid);

impl EndpointId {
    /// Parses an id as its `Display` writes it, or any other spelling of a UUID.
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }
}

impl DeliveryId {
    /// Parses an id as its `Display` writes it, or any other spelling of a UUID.
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }
}

impl fmt::Display for EndpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

named_enum! {
    /// Reason for which nothing is sent to an endpoint.
    pub enum DisabledReason {
        /// Its owner disabled it.
        Owner,
        /// It answered 410 Gone.
        Gone,
        /// It had no success in 120 hours.
        Failing,
        /// The database was restored from a copy, which may have an endpoint that was removed since.
        Restored,
    }
}

/// State of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointState {
    /// Events are sent to it.
    Enabled,
    /// Nothing is sent to it.
    Disabled {
        /// The reason.
        reason: DisabledReason,
        /// The time since when.
        at: DateTime<Utc>,
    },
}

impl EndpointState {
    /// Returns `true` if events are sent to the endpoint.
    pub fn is_enabled(self) -> bool {
        matches!(self, Self::Enabled)
    }
}

named_enum! {
    /// State of a delivery.
    pub enum DeliveryState {
        /// It waits for its next attempt, or one is being made.
        Pending,
        /// The receiver accepted it.
        Delivered,
        /// Every attempt failed.
        Failed,
        /// Its endpoint was disabled before it was accepted.
        Discarded,
    }
}
