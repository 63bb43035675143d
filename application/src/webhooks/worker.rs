//! The worker of deliveries: makes the attempts of those that are due.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::webhooks::{
    AnswerText, AttemptResult, DeliveryAttempt, EndpointSecret, EndpointState, Jitter, SendFailure,
    next_delivery, next_uncounted, signature,
};
use futures::future::select;
use futures::{FutureExt as _, pin_mut};
use ports::outbound::{
    ClaimedClasses, ClaimedDelivery, Clock, DeliveryEnd, Lease, OutgoingMessage, Random,
    ReceiverAnswer, StoreError, StoredEndpoint, Timer, WebhookSender, WebhookStore,
};
use tracing::Span;
use uuid::Uuid;

use super::encryption::WebhookEncryption;
use crate::metrics;
use crate::sync::worker::{POLL, Place, Queue, Tasks, Worker};
use crate::sync::{SpawnTask, WorkSignal};

/// Time limit of an attempt, in case the sender exceeds its own. Shorter than a lease, which is never extended.
const DEADLINE: Duration = Duration::from_secs(20);
/// Shortest pause after a round without deliveries, because most signals are ends of lookups without a
/// webhook.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
/// Dependencies of a [`DeliveryWorker`].
pub struct DeliveryWorkerParts {
    /// Store and queue of the deliveries.
    pub store: Arc<dyn WebhookStore>,
    /// Decrypts signing secrets.
    pub encryption: Arc<WebhookEncryption>,
    /// Sends the signed messages.
    pub sender: Arc<dyn WebhookSender>,
    /// Signals of new deliveries and free places.
    pub signal: Arc<WorkSignal>,
    /// Current time, and durations of attempts.
    pub clock: Arc<dyn Clock>,
    /// Sleeps between rounds, and limits the time of attempts.
    pub timer: Arc<dyn Timer>,
    /// Generates lease tokens, and random variations of retry times.
    pub random: Arc<dyn Random>,
    /// Spawns the task of an attempt.
    pub spawn: SpawnTask,
    /// Maximum number of concurrent attempts.
    pub places: u32,
}

/// Makes attempts of deliveries.
pub type DeliveryWorker = Worker<DeliveryWorkerParts>;

impl Queue for DeliveryWorkerParts {
    type Job = ClaimedDelivery;
    const JOBS: &'static str = "webhooks";

    fn tasks(&self) -> Tasks<'_> {
        Tasks {
            clock: &*self.clock,
            timer: &*self.timer,
            random: &*self.random,
            spawn: &self.spawn,
            places: self.places,
            // A webhook that had the maximum number of concurrent attempts may have another one once a place
            // is free.
            signal: Some(&self.signal),
        }
    }

    async fn claim(
        &self,
        _: ClaimedClasses,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        self.store.claim_deliveries(most, now, lease).await
    }

    fn describe(claimed: &ClaimedDelivery) -> (Uuid, Span) {
        let id = claimed.delivery.id;
        let span = tracing::info_span!(target: "cep::trace", "webhook attempt", delivery = %id);
        (id.0, span)
    }

    async fn work(&self, claimed: ClaimedDelivery, lease: Lease, _: &Place<Self>) {
        if let Err(error) = self.attempt(&claimed, lease).await {
            let id = claimed.delivery.id;
            tracing::warn!(%id, %error, "the result of a webhook could not be stored: it is sent again");
        }
    }

    async fn pause(&self, started: usize, _: bool) -> Result<Duration, StoreError> {
        if started == 0 {
            self.timer.pause(SHORTEST_PAUSE).await;
        }
        Ok(POLL)
    }
}

impl DeliveryWorkerParts {
    /// Makes one attempt of a claimed delivery, and stores its result; discards it if the webhook is
    /// disabled.
    async fn attempt(&self, claimed: &ClaimedDelivery, lease: Lease) -> Result<(), StoreError> {
        let ClaimedDelivery { delivery, endpoint } = claimed;
        if !endpoint.state.is_enabled() {
            let now = self.clock.now();
            let discarded = self.store.discard_delivery(delivery.id, lease.token, now);
            return discarded.await;
        }
        let started = self.clock.monotonic();
        let sent = self.send(claimed).await;
        let duration = self.clock.monotonic().saturating_sub(started);
        let now = self.clock.now();
        let (result, retry_after, answer) = match sent {
            Ok(answer) => (
                AttemptResult::Answered(answer.status),
                answer.retry_after,
                AnswerText::of(&answer.body),
            ),
            Err(failure) => (AttemptResult::Failed(failure), None, AnswerText::default()),
        };
        let next = if result.counts() {
            let made = delivery.step.saturating_add(1);
            let asked = (result, retry_after);
            next_delivery(delivery.kind, made, asked, self.jitter(), now)
        } else {
            next_uncounted(delivery.kind, delivery.created_at, self.jitter(), now)
        };
        let end = DeliveryEnd {
            id: delivery.id,
            endpoint: endpoint.id,
            token: lease.token,
            attempt: DeliveryAttempt {
                at: now,
                duration: Duration::from_millis(
                    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
                ),
                result,
                answer,
            },
            next,
        };
        let state = self.store.end_delivery(&end).await?;
        log(claimed, result, state);
        Ok(())
    }

    /// Signs the message with the current time, and sends it.
    async fn send(&self, claimed: &ClaimedDelivery) -> Result<ReceiverAnswer, SendFailure> {
        let ClaimedDelivery { delivery, endpoint } = claimed;
        let at = self.clock.now();
        let secrets = self.secrets(endpoint);
        if secrets.is_empty() {
            return Err(SendFailure::NotSigned);
        }
        let message = OutgoingMessage {
            url: endpoint.url.clone(),
            id: delivery.id,
            at,
            signature: signature(&secrets, delivery.id, at, &delivery.body),
            body: delivery.body.clone(),
        };
        let sending = async {
            let started = self.clock.monotonic();
            let sent = self.sender.send(&message).await;
            let duration = self.clock.monotonic().saturating_sub(started);
            metrics::webhook_sent(&sent, duration);
            sent
        };
        let sending = AssertUnwindSafe(sending).catch_unwind();
        let deadline = self.timer.pause(DEADLINE);
        pin_mut!(sending);
        match select(sending, deadline).await {
            futures::future::Either::Left((Ok(answer), _)) => answer,
            futures::future::Either::Left((Err(_), _)) => {
                tracing::error!(id = %delivery.id, "the sender of webhooks panicked");
                Err(SendFailure::InvalidAnswer)
            }
            futures::future::Either::Right(((), _)) => Err(SendFailure::TimedOut),
        }
    }

    /// The secrets that are valid for signing and can be decrypted, the newest first.
    fn secrets(&self, endpoint: &StoredEndpoint) -> Vec<EndpointSecret> {
        let signing = endpoint.secrets.signing(self.clock.now());
        let read = signing.map(|secret| self.encryption.decrypt(endpoint, secret));
        let readable = read.filter_map(|secret| {
            secret
                .inspect_err(|cause| {
                    tracing::error!(endpoint = %endpoint.id, %cause, "a webhook's secret can't be read");
                })
                .ok()
        });
        readable.collect()
    }

    fn jitter(&self) -> Jitter {
        let mut bytes = [0; Jitter::BYTES];
        self.random.fill(&mut bytes);
        Jitter::from_bytes(bytes)
    }
}

/// Logs the result of an attempt, without the target URL and the answer.
fn log(claimed: &ClaimedDelivery, result: AttemptResult, state: Option<EndpointState>) {
    let (delivery, endpoint) = (claimed.delivery.id, claimed.endpoint.id);
    match state {
        None => {
            tracing::info!(%delivery, "a webhook was removed or disabled, or another process goes on with it");
        }
        Some(EndpointState::Disabled { reason, .. }) => {
            let reason = reason.name();
            tracing::info!(target: "cep::webhook", %endpoint, reason, "a webhook was disabled");
        }
        Some(EndpointState::Enabled) => {
            tracing::debug!(target: "cep::webhook", %endpoint, %delivery, ?result, "a webhook was sent");
        }
    }
}
