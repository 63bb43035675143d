//! Deliveries to webhooks, and their attempts.

use application::DeliveryView;
use async_graphql::{ID, SimpleObject};
use domain::page::{Page, PageRequest};
use domain::webhooks::DeliveryAttempt;

use super::connection::{PageInfo, connection};
use super::enums::{DeliveryState, SendFailure, WebhookEvent};
use super::numbers::milliseconds;
use super::scalars::DateTime;

/// A message that was sent to a webhook, or will be.
#[derive(SimpleObject)]
pub(crate) struct WebhookDelivery {
    /// The `webhook-id` of the message, the same at each attempt.
    id: ID,
    /// The event.
    event: WebhookEvent,
    /// The lookup or batch that it tells of; the webhook itself for a test.
    subject_id: ID,
    /// Its state.
    state: DeliveryState,
    /// Time of the event.
    created_at: DateTime,
    /// Time of the next attempt; null once it has ended.
    next_attempt_at: Option<DateTime>,
    /// Number of attempts that ended.
    attempt_count: u32,
    /// Number of attempts that are still to be made as long as each fails; 0 once it has ended.
    attempts_left: u32,
    /// Planned time of the last one of them; null once it has ended.
    final_attempt_at: Option<DateTime>,
    /// The last one; null before the first one ends.
    last_attempt: Option<WebhookAttempt>,
}

/// An attempt to send a message.
#[derive(SimpleObject)]
pub(crate) struct WebhookAttempt {
    /// Time of its end.
    at: DateTime,
    /// Its duration in milliseconds.
    duration_ms: u32,
    /// The status of the answer; null when there was none.
    status: Option<u16>,
    /// Reason for which there was no answer; null when there was one.
    failure: Option<SendFailure>,
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
            created_at: view.created_at.into(),
            next_attempt_at: view.next_attempt_at.map(DateTime::from),
            attempt_count: view.attempts,
            attempts_left: view.attempts_left.map_or(0, |left| left.count),
            final_attempt_at: view.attempts_left.map(|left| left.last_at.into()),
            last_attempt: view.last_attempt.as_ref().map(WebhookAttempt::from),
        }
    }
}

impl From<&DeliveryAttempt> for WebhookAttempt {
    fn from(attempt: &DeliveryAttempt) -> Self {
        Self {
            at: attempt.at.into(),
            duration_ms: milliseconds(attempt.duration),
            status: attempt.result.status(),
            failure: attempt.result.failure().map(SendFailure::from),
            answer: attempt.answer.as_str().to_owned(),
        }
    }
}

connection! {
    /// One page of the deliveries to a webhook, newest first.
    WebhookDeliveryConnection,
    /// A delivery and its place in the list.
    WebhookDeliveryEdge of WebhookDelivery
}

impl WebhookDeliveryConnection {
    pub(super) fn new(page: Page<DeliveryView>, request: &PageRequest) -> Self {
        Self {
            page_info: PageInfo::new(&page, request),
            edges: WebhookDeliveryEdge::of(page.items, |view| WebhookDelivery::from(&view)),
        }
    }
}
