//! Enums of webhooks and their deliveries.

use async_graphql::Enum;

/// Event that a webhook is told.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(name = "WebhookEvent", remote = "domain::webhooks::EventType")]
pub(crate) enum WebhookEvent {
    /// A lookup ended with its proof.
    LookupDelivered,
    /// A lookup ended, as the bank knows no such transfer.
    LookupNotFound,
    /// A lookup ended without an answer of the bank.
    LookupFailed,
    /// A lookup ended, as the bank issued no proof in time.
    LookupExpired,
    /// A batch ended.
    BatchFinished,
    /// A batch waits for quota.
    BatchPaused,
    /// A test that `testWebhook` asked for. Nobody subscribes to it.
    Test,
}

/// Reason for which nothing is sent to a webhook.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(
    name = "WebhookDisabledReason",
    remote = "domain::webhooks::DisabledReason"
)]
pub(crate) enum DisabledReason {
    /// Its owner disabled it.
    Owner,
    /// It answered 410 Gone.
    Gone,
    /// It had no success in 120 hours.
    Failing,
    /// The database was restored from a copy, which may have a webhook that was removed since.
    Restored,
}

/// State of a delivery to a webhook.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(
    name = "WebhookDeliveryState",
    remote = "domain::webhooks::DeliveryState"
)]
pub(crate) enum DeliveryState {
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
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(name = "WebhookFailure", remote = "domain::webhooks::SendFailure")]
pub(crate) enum SendFailure {
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
