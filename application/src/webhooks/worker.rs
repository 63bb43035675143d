//! The worker: claims due deliveries, and makes their attempts.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use domain::webhooks::{
    AnswerText, AttemptResult, DeliveryAttempt, EndpointSecret, EndpointState, Jitter, SendFailure,
    next_delivery, next_uncounted, signature,
};
use futures::future::select;
use futures::{FutureExt as _, pin_mut};
use ports::outbound::{
    ClaimedDelivery, Clock, DeliveryEnd, Lease, OutgoingMessage, Random, ReceiverAnswer,
    StoreError, StoredEndpoint, Timer, WebhookSender, WebhookStore, new_id,
};
use tracing::Instrument as _;

use super::encryption::WebhookEncryption;
use crate::metrics;
use crate::proofs::SpawnTask;
use crate::sync::WorkSignal;

/// Length of a lease, after which another process continues the work of a process that died. Longer than an
/// attempt can take, so it is never extended.
const LEASE: TimeDelta = TimeDelta::seconds(30);
/// Time limit of an attempt, in case the sender exceeds its own.
const DEADLINE: Duration = Duration::from_secs(20);
/// Longest pause between two rounds without a signal; needed for retries, and for deliveries of other
/// processes.
const POLL: Duration = Duration::from_millis(500);
/// Shortest pause after a round without deliveries, because most signals are ends of lookups without a
/// webhook.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
/// Pause between two rounds while the store fails.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(2);

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

/// Makes attempts of deliveries. Several processes may run it: each delivery is claimed by one.
pub struct DeliveryWorker {
    parts: DeliveryWorkerParts,
    busy: AtomicU32,
}

/// Place of a running attempt, which is free again once this is dropped.
struct BusyPlace(Arc<DeliveryWorker>);

impl Drop for BusyPlace {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::AcqRel);
        // A webhook that had the maximum number of concurrent attempts may now have another one.
        self.0.parts.signal.work();
    }
}

impl DeliveryWorker {
    /// Creates a worker from its dependencies.
    pub fn new(parts: DeliveryWorkerParts) -> Self {
        Self {
            parts,
            busy: AtomicU32::new(0),
        }
    }

    /// Runs rounds until the future is dropped.
    pub async fn run(self: Arc<Self>) {
        loop {
            let pause = match self.round().await {
                Ok(0) => {
                    self.parts.timer.pause(SHORTEST_PAUSE).await;
                    POLL
                }
                Ok(_) => POLL,
                Err(error) => {
                    tracing::warn!(%error, "the queue of webhooks can't be read");
                    PAUSE_AFTER_FAILURE
                }
            };
            let pause = self.parts.timer.pause(pause);
            let work = self.parts.signal.next_work();
            pin_mut!(work);
            select(pause, work).await;
        }
    }

    /// Claims as many deliveries as there are free places, and starts their attempts; returns their number.
    ///
    /// # Errors
    /// The store failed.
    pub async fn round(self: &Arc<Self>) -> Result<usize, StoreError> {
        let busy = self.busy.load(Ordering::Acquire);
        let free = self.parts.places.saturating_sub(busy);
        if free == 0 {
            return Ok(0);
        }
        let now = self.parts.clock.now();
        let lease = Lease {
            token: new_id(self.parts.clock.as_ref(), self.parts.random.as_ref()),
            until: now + LEASE,
        };
        let claimed = self.parts.store.claim_deliveries(free, now, lease).await?;
        let started = claimed.len();
        for delivery in claimed {
            self.start(delivery, lease);
        }
        Ok(started)
    }

    fn start(self: &Arc<Self>, claimed: ClaimedDelivery, lease: Lease) {
        self.busy.fetch_add(1, Ordering::AcqRel);
        let place = BusyPlace(Arc::clone(self));
        let id = claimed.delivery.id;
        let span = tracing::info_span!(target: "cep::trace", "webhook attempt", delivery = %id);
        let work = async move {
            if let Err(error) = place.0.work(&claimed, lease).await {
                tracing::warn!(%id, %error, "the result of a webhook could not be stored: it is sent again");
            }
        };
        (self.parts.spawn)(work.instrument(span).boxed());
    }

    /// Makes one attempt of a claimed delivery, and stores its result; discards it if the webhook is
    /// disabled.
    async fn work(&self, claimed: &ClaimedDelivery, lease: Lease) -> Result<(), StoreError> {
        let ClaimedDelivery { delivery, endpoint } = claimed;
        if !endpoint.state.is_enabled() {
            let now = self.parts.clock.now();
            let discarded = self
                .parts
                .store
                .discard_delivery(delivery.id, lease.token, now);
            return discarded.await;
        }
        let started = self.parts.clock.monotonic();
        let sent = self.send(claimed).await;
        let duration = self.parts.clock.monotonic().saturating_sub(started);
        let now = self.parts.clock.now();
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
        let state = self.parts.store.end_delivery(&end).await?;
        log(claimed, result, state);
        Ok(())
    }

    /// Signs the message with the current time, and sends it.
    async fn send(&self, claimed: &ClaimedDelivery) -> Result<ReceiverAnswer, SendFailure> {
        let ClaimedDelivery { delivery, endpoint } = claimed;
        let at = self.parts.clock.now();
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
            let started = self.parts.clock.monotonic();
            let sent = self.parts.sender.send(&message).await;
            let duration = self.parts.clock.monotonic().saturating_sub(started);
            metrics::webhook_sent(&sent, duration);
            sent
        };
        let sending = AssertUnwindSafe(sending).catch_unwind();
        let deadline = self.parts.timer.pause(DEADLINE);
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
        let signing = endpoint.secrets.signing(self.parts.clock.now());
        let read = signing.map(|secret| self.parts.encryption.decrypt(endpoint, secret));
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
        self.parts.random.fill(&mut bytes);
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
