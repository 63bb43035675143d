//! The feeder: creates lookups of the rows of batches, a limited number at a time, and finishes batches.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::batches::{BatchState, POLL_BACKOFF, RowNumber, window};
use domain::keys::CountedKey;
use domain::lookups::LookupState;
use domain::pacing::Pacing;
use ports::Cause;
use ports::outbound::{
    BatchCancellation, BatchChange, BatchProgress, BatchRelease, BatchStore, ClaimedBatch,
    ClaimedClasses, Clock, Lease, Random, StoreError, Timer,
};
use tracing::Span;
use uuid::Uuid;

use super::content::RowKind;
use super::encryption::BatchEncryption;
use super::rows::BatchRows;
use crate::admission::{GatekeeperService, NotCharged};
use crate::lookups::{LookupService, LookupSignals};
use crate::metrics;
use crate::sync::worker::{LEASE, Place, Queue, Tasks, Worker};
use crate::sync::{SpawnTask, WorkSignal};

/// Maximum number of batches that a process works on at the same time.
const PLACES: u32 = 32;
/// Maximum number of rows that are charged and stored in one step.
const PER_STEP: usize = 100;
/// Longest time until a batch is claimed again whose rows all wait for a later attempt.
const LONGEST_REST: TimeDelta = TimeDelta::seconds(30);
/// Shortest time until a released batch is claimed again.
const SHORTEST_REST: TimeDelta = TimeDelta::milliseconds(500);
/// Time until a batch without quota is claimed again: the plan may change, and the month ends.
const PAUSE: TimeDelta = TimeDelta::seconds(60);
/// Time until a batch is claimed again that can't be decrypted, or whose key can't be checked.
const AFTER_FAILURE: TimeDelta = TimeDelta::seconds(10);

/// Dependencies of a [`BatchFeeder`].
pub struct FeederParts {
    /// Store of the batches.
    pub store: Arc<dyn BatchStore>,
    /// Decrypts options and rows.
    pub encryption: Arc<BatchEncryption>,
    /// Creates and reads the lookups of rows.
    pub lookups: Arc<LookupService>,
    /// Charges rows against the key's limits.
    pub gatekeeper: Arc<GatekeeperService>,
    /// Signals new lookups to the worker of this process.
    pub signals: Arc<LookupSignals>,
    /// Current time, for due times and leases.
    pub clock: Arc<dyn Clock>,
    /// Sleeps between polls.
    pub timer: Arc<dyn Timer>,
    /// Generates lease tokens and ids.
    pub random: Arc<dyn Random>,
    /// Spawns the task that works on a batch.
    pub spawn: SpawnTask,
    /// The query budget of the portal, which limits the rows in progress.
    pub pacing: Pacing,
    /// Signals new webhook events to the delivery worker.
    pub webhooks: Arc<WorkSignal>,
}

/// Creates lookups of rows.
pub type BatchFeeder = Worker<FeederParts>;

/// Reason why the work on a claimed batch ends.
enum Stop {
    /// The lease is lost, or the batch was canceled.
    Lost,
    /// The batch is released with this change.
    Release(BatchChange),
    /// The batch is finished.
    Finished,
}

impl Queue for FeederParts {
    type Job = ClaimedBatch;
    const JOBS: &'static str = "batches";

    fn tasks(&self) -> Tasks<'_> {
        Tasks {
            clock: &*self.clock,
            timer: &*self.timer,
            random: &*self.random,
            spawn: &self.spawn,
            places: PLACES,
            signal: None,
        }
    }

    async fn claim(
        &self,
        _: ClaimedClasses,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedBatch>, StoreError> {
        self.store.claim_batches(most, now, lease).await
    }

    fn describe(claimed: &ClaimedBatch) -> (Uuid, Span) {
        (claimed.batch.facts.id.0, Span::none())
    }

    async fn work(&self, claimed: ClaimedBatch, lease: Lease, place: &Place<Self>) {
        if let Err(cause) = self.feed_and_release(&claimed, lease, place).await {
            let id = claimed.batch.facts.id;
            tracing::warn!(%id, %cause, "a batch could not be worked on");
        }
    }
}

impl FeederParts {
    /// Works on a batch until nothing can be done for now, and releases it.
    async fn feed_and_release(
        &self,
        claimed: &ClaimedBatch,
        lease: Lease,
        place: &Place<Self>,
    ) -> Result<(), Cause> {
        let id = claimed.batch.facts.id;
        let stop = self.feed(claimed, lease, place).await;
        let change = match stop {
            Ok(Stop::Lost) => {
                tracing::info!(%id, "a batch was canceled, or another process goes on with it");
                return Ok(());
            }
            Ok(Stop::Finished) => return Ok(()),
            Ok(Stop::Release(change)) => change,
            Err(cause) => {
                tracing::error!(%id, %cause, "the rows of a batch can't be looked up");
                self.wait(AFTER_FAILURE)
            }
        };
        self.release(claimed, lease, change).await.map(drop)
    }

    fn wait(&self, time: TimeDelta) -> BatchChange {
        BatchChange::Wait {
            due_at: self.clock.now() + time,
        }
    }

    async fn release(
        &self,
        claimed: &ClaimedBatch,
        lease: Lease,
        change: BatchChange,
    ) -> Result<bool, Cause> {
        let release = BatchRelease {
            id: claimed.batch.facts.id,
            token: lease.token,
            now: self.clock.now(),
            change,
        };
        let released = self.store.release_batch(&release).await;
        self.webhooks.work();
        if matches!(released, Ok(true)) && change == BatchChange::Finish {
            metrics::batch_ended(BatchState::Finished);
        }
        released.map_err(|error| Arc::new(error) as Cause)
    }

    /// Creates lookups of rows while the window has room, and waits for room otherwise; returns when neither
    /// can go on.
    async fn feed(
        &self,
        claimed: &ClaimedBatch,
        lease: Lease,
        place: &Place<Self>,
    ) -> Result<Stop, Cause> {
        let facts = &claimed.batch.facts;
        let progress = &claimed.batch.progress;
        let has_ended = progress.next_row >= facts.counts.rows && progress.open() == 0;
        if claimed.key.is_none() && !has_ended {
            return self.without_key(claimed).await;
        }
        let window = window(facts.environment, per_minute(self.pacing));
        let (shortest, longest) = POLL_BACKOFF;
        let mut pause = shortest;
        loop {
            let until = self.clock.now() + LEASE;
            let held = Lease { until, ..lease };
            let progress = self.store.renew_batch(facts.id, held).await;
            let progress = progress.map_err(|error| Arc::new(error) as Cause)?;
            let Some(progress) = progress else {
                return Ok(Stop::Lost);
            };
            if progress.next_row >= facts.counts.rows {
                return self.rest(claimed, lease, &progress).await;
            }
            let room = window.saturating_sub(taken(&progress)) as usize;
            // A step with few rows costs as much as one with many.
            if room >= (window as usize / 4).min(PER_STEP) {
                let from = RowNumber(progress.next_row);
                if let Some(stop) = self.step(claimed, lease, (from, room)).await? {
                    return Ok(stop);
                }
                pause = shortest;
                continue;
            }
            if pause == longest && place.is_last() {
                // Other batches may wait for the place.
                return Ok(Stop::Release(self.wait(SHORTEST_REST)));
            }
            self.timer.pause(pause).await;
            pause = (pause * 2).min(longest);
        }
    }

    /// Ends the work on a batch of which all rows were processed: finishes it, or releases it until a lookup
    /// is due.
    async fn rest(
        &self,
        claimed: &ClaimedBatch,
        lease: Lease,
        progress: &BatchProgress,
    ) -> Result<Stop, Cause> {
        let now = self.clock.now();
        if let Some(next_due) = progress.next_due {
            // The due time of a running lookup is the end of its lease; it may end much earlier.
            let longest = match taken(progress) {
                0 => LONGEST_REST,
                _ => SHORTEST_REST,
            };
            let due_at = next_due.clamp(now + SHORTEST_REST, now + longest);
            return Ok(Stop::Release(BatchChange::Wait { due_at }));
        }
        if !self.release(claimed, lease, BatchChange::Finish).await? {
            return Ok(Stop::Lost);
        }
        let id = claimed.batch.facts.id;
        tracing::info!(target: "cep::batch", %id, "a batch was finished");
        Ok(Stop::Finished)
    }

    /// Creates lookups of the next rows, as many as the window and the key's limits allow. Returns the reason
    /// if the work ends.
    async fn step(
        &self,
        claimed: &ClaimedBatch,
        lease: Lease,
        (from, room): (RowNumber, usize),
    ) -> Result<Option<Stop>, Cause> {
        let facts = &claimed.batch.facts;
        let Some(id) = claimed.key else {
            return self.without_key(claimed).await.map(Some);
        };
        let key = CountedKey { id, ..facts.key };
        let content = self.encryption.content(&claimed.batch)?;
        let mut rows = BatchRows {
            store: Arc::clone(&self.store),
            lookups: Arc::clone(&self.lookups),
            encryption: Arc::clone(&self.encryption),
            facts: facts.clone(),
            state: claimed.batch.state,
            untried: from,
            next: from,
            columns: Vec::new(),
            place: None,
        };
        let chunk = rows.next_chunk().await.map_err(|error| {
            let error = format!("{error:?}");
            Arc::new(UnreadableRows(error)) as Cause
        })?;
        let chunk = chunk.ok_or_else(|| Arc::new(NoRow(from.0)) as Cause)?;
        let after_chunk = chunk.last().map_or(from.0, |(row, ..)| row.0 + 1);
        let ready =
            chunk
                .into_iter()
                .filter_map(|(row, stored, lookup)| match (stored.kind, lookup) {
                    (RowKind::Ready(query), None) => Some((row, query)),
                    _ => None,
                });
        let mut ready: Vec<_> = ready.collect();
        let wanted = ready.len().min(room).min(PER_STEP);
        let (charges, refusal) = self.charge(key, wanted).await;
        let left = ready.split_off(charges.len());
        let next_row = left.first().map_or(after_chunk, |(row, _)| row.0);
        // If no row could be charged, the batch isn't changed, so that a paused one doesn't become running
        // for a moment.
        let is_refused = charges.is_empty() && refusal.is_some();
        let fed = self.store_rows((facts, &content), (key, lease), (ready, charges), next_row);
        if next_row > from.0 && !is_refused && !fed.await? {
            return Ok(Some(Stop::Lost));
        }
        let Some(refusal) = refusal else {
            return Ok(None);
        };
        match refusal {
            NotCharged::RateLimited { retry_after } => {
                let wait = TimeDelta::from_std(retry_after).unwrap_or(PAUSE);
                Ok(Some(Stop::Release(self.wait(wait.max(SHORTEST_REST)))))
            }
            NotCharged::QuotaExceeded { reset } => {
                let reset = TimeDelta::from_std(reset).unwrap_or(PAUSE);
                let due_at = self.clock.now() + reset.min(PAUSE);
                Ok(Some(Stop::Release(BatchChange::Pause { due_at })))
            }
            NotCharged::Revoked => self.without_key(claimed).await.map(Some),
            NotCharged::Unavailable(cause) => Err(cause),
        }
    }

    /// Cancels a batch whose keys are all revoked. If the batch had a key at the claim, it is released
    /// instead.
    async fn without_key(&self, claimed: &ClaimedBatch) -> Result<Stop, Cause> {
        if claimed.key.is_some() {
            // The next claim finds the key's successor, if there is one.
            return Ok(Stop::Release(self.wait(SHORTEST_REST)));
        }
        let facts = &claimed.batch.facts;
        let now = self.clock.now();
        let canceled = self.store.cancel_batch(facts.customer, facts.id, now);
        let canceled = canceled.await.map_err(|error| Arc::new(error) as Cause)?;
        if let BatchCancellation::Canceled { lookups } = canceled {
            metrics::batch_ended(BatchState::Canceled);
            self.lookups.conclude_canceled_rows(lookups).await;
        }
        tracing::info!(target: "cep::batch", id = %facts.id, "a batch was canceled: its key was revoked");
        Ok(Stop::Lost)
    }
}

/// Number of lookups that occupy the window; those that wait for a later attempt don't.
fn taken(progress: &BatchProgress) -> u32 {
    progress.in_state(LookupState::Queued) + progress.in_state(LookupState::Running)
}

fn per_minute(pacing: Pacing) -> u32 {
    let spacing = pacing.spacing().as_millis().max(1);
    u32::try_from(60_000 / spacing).unwrap_or(u32::MAX)
}

/// The rows of a batch can't be read.
#[derive(Debug, thiserror::Error)]
#[error("the rows can't be read: {0}")]
struct UnreadableRows(String);

/// A chunk of a batch has fewer rows than expected.
#[derive(Debug, thiserror::Error)]
#[error("row {0} is missing in its chunk")]
struct NoRow(u32);
