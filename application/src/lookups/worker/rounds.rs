//! Rounds of the worker, in which it claims lookups and starts attempts.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::future::select;
use futures::{FutureExt as _, pin_mut};
use ports::outbound::{ClaimedClasses, ClaimedLookup, Lease, StoreError, new_id};
use tracing::Instrument as _;

use super::{LEASE, LookupWorker};

/// Longest pause between two rounds without a signal; needed for lookups of other processes, and for those
/// that become due.
const POLL: Duration = Duration::from_millis(500);
/// Longest pause between two rounds while other processes' changes are signalled.
const POLL_WHILE_LISTENING: Duration = Duration::from_secs(5);
/// Pause between two rounds while the store fails.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(2);

/// Place of a running attempt, which is free again once this is dropped.
struct BusyPlace(Arc<LookupWorker>);

impl Drop for BusyPlace {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::AcqRel);
        self.0.parts.signals.work();
    }
}

impl LookupWorker {
    /// Runs rounds until the future is dropped.
    pub async fn run(self: Arc<Self>) {
        loop {
            let pause = match self.round_and_pause().await {
                Ok(pause) => pause,
                Err(error) => {
                    tracing::warn!(%error, "the queue of lookups can't be read");
                    PAUSE_AFTER_FAILURE
                }
            };
            let pause = self.parts.timer.pause(pause);
            let work = self.parts.signals.next_work();
            pin_mut!(work);
            select(pause, work).await;
        }
    }

    /// Runs a round; returns the time until lookups may be due again.
    async fn round_and_pause(self: &Arc<Self>) -> Result<Duration, StoreError> {
        self.round().await?;
        if !self.parts.signals.is_listening() || self.free_places() == 0 {
            // A place that becomes free is signalled.
            return Ok(POLL);
        }
        let Some(due_at) = self.parts.store.next_due().await? else {
            return Ok(POLL_WHILE_LISTENING);
        };
        let wait = due_at - self.parts.clock.now();
        // Lookups that are due already were claimed by another process, or found no free place.
        let wait = wait.to_std().unwrap_or(POLL);
        Ok(wait.min(POLL_WHILE_LISTENING))
    }

    /// Number of free places for attempts of all classes.
    fn free_places(&self) -> u32 {
        let places = self.parts.places;
        let busy = self.busy.load(Ordering::Acquire);
        places.saturating_sub(places / 4).saturating_sub(busy)
    }

    /// Claims as many lookups as there are free places, and starts their attempts; returns their number. A
    /// quarter of the places is reserved for lookups whose callers wait.
    ///
    /// # Errors
    /// The store failed.
    pub async fn round(self: &Arc<Self>) -> Result<usize, StoreError> {
        let kept = self.parts.places / 4;
        let mut started = 0;
        for (classes, kept) in [
            (ClaimedClasses::All, kept),
            (ClaimedClasses::Interactive, 0),
        ] {
            let busy = self.busy.load(Ordering::Acquire);
            let free = self.parts.places.saturating_sub(busy).saturating_sub(kept);
            if free == 0 {
                continue;
            }
            let now = self.parts.clock.now();
            let lease = self.lease(now);
            let claimed = self.parts.store.claim_lookups(free, classes, now, lease);
            for lookup in claimed.await? {
                self.start(lookup, lease);
                started += 1;
            }
        }
        Ok(started)
    }

    fn lease(&self, now: DateTime<Utc>) -> Lease {
        Lease {
            token: new_id(self.parts.clock.as_ref(), self.parts.random.as_ref()),
            until: now + LEASE,
        }
    }

    fn start(self: &Arc<Self>, claimed: ClaimedLookup, lease: Lease) {
        self.busy.fetch_add(1, Ordering::AcqRel);
        let place = BusyPlace(Arc::clone(self));
        let id = claimed.lookup.facts.id;
        let span = tracing::info_span!(target: "cep::trace", "lookup attempt", lookup = %id);
        let work = async move {
            let worker = &place.0;
            worker.parts.signals.changed(id);
            worker.work(claimed, lease).await;
            worker.parts.signals.changed(id);
        };
        (self.parts.spawn)(work.instrument(span).boxed());
    }
}
