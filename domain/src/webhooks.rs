//! Webhooks: messages to customers' servers about finished lookups and batches, according to Standard
//! Webhooks 1.0.0.

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

/// Maximum number of a customer's webhooks, in both environments together.
pub const MAX_ENDPOINTS: usize = 10;

/// Unique id of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EndpointId(pub Uuid);

/// Id of a delivery: the message's `webhook-id` header, the same in each attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeliveryId(pub Uuid);

impl EndpointId {
    /// Parses a UUID in any of its usual forms.
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }
}

impl DeliveryId {
    /// Parses a UUID in any of its usual forms.
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
    /// Reason why a webhook is disabled.
    pub enum DisabledReason {
        /// The owner disabled it.
        Owner,
        /// The target responded 410 Gone.
        Gone,
        /// No delivery succeeded in 120 hours.
        Failing,
        /// The database was restored from a backup, which may contain webhooks that were removed since.
        Restored,
    }
}

/// State of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointState {
    /// Events are sent.
    Enabled,
    /// No events are sent.
    Disabled {
        /// Reason of the disabling.
        reason: DisabledReason,
        /// When it was disabled.
        at: DateTime<Utc>,
    },
}

impl EndpointState {
    /// Returns `true` if events are sent.
    pub fn is_enabled(self) -> bool {
        matches!(self, Self::Enabled)
    }
}

named_enum! {
    /// State of a delivery.
    pub enum DeliveryState {
        /// An attempt is scheduled or running.
        Pending,
        /// The receiver accepted the message.
        Delivered,
        /// Every attempt failed.
        Failed,
        /// The webhook was disabled before the message was accepted.
        Discarded,
    }
}
