//! Worker of a queue: claims due jobs under leases, and works on a limited number of them at a time. Several
//! processes may run one on the same queue, because each job is claimed by one.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures::future::{Either, pending, select};
use futures::{FutureExt as _, pin_mut};
use ports::outbound::{Clock, Lease, Random, StoreError, Timer, new_id};
use tracing::{Instrument as _, Span};
use uuid::Uuid;

use super::spawn::SpawnTask;
use super::work_signal::WorkSignal;

/// Length of a lease, after which another process continues the work of a process that died.
pub(crate) const LEASE: TimeDelta = TimeDelta::seconds(30);
/// Longest pause between two rounds of a queue whose jobs aren't all signalled.
pub(crate) const POLL: Duration = Duration::from_millis(500);
/// Pause between two rounds while the store fails.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(2);

/// A queue of leased jobs.
pub trait Queue: Send + Sync + Sized + 'static {
    /// A claimed job.
    type Job: Send;
    /// Selects the jobs of one claim.
    type Turn: Copy + Send;
    /// Name of the jobs in the log, in the plural.
    const JOBS: &'static str;

    /// The claims of a round in order, each with the number of places that it leaves free.
    fn turns(places: u32) -> Vec<(Self::Turn, u32)>;

    /// Returns what the worker needs.
    fn parts(&self) -> QueueParts<'_>;

    /// Claims up to `most` jobs that are due.
    fn claim(
        &self,
        turn: Self::Turn,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> impl Future<Output = Result<Vec<Self::Job>, StoreError>> + Send;

    /// The id of a job in the log, and the span of the work on it.
    fn describe(job: &Self::Job) -> (Uuid, Span);

    /// Works on a job, whose place is free again afterwards.
    fn work(
        &self,
        job: Self::Job,
        lease: Lease,
        place: &Place<Self>,
    ) -> impl Future<Output = ()> + Send;

    /// Time until jobs may be due again, after a round that started this number of them.
    fn pause(
        &self,
        started: usize,
        is_full: bool,
    ) -> impl Future<Output = Result<Pause, StoreError>> + Send;
}

/// Dependencies of a worker.
pub struct QueueParts<'a> {
    /// Current time, for leases.
    pub clock: &'a dyn Clock,
    /// Sleeps between rounds.
    pub timer: &'a dyn Timer,
    /// Generates lease tokens.
    pub random: &'a dyn Random,
    /// Spawns the task of a job.
    pub spawn: &'a SpawnTask,
    /// Signals of new jobs and free places; `None` if the queue is only polled.
    pub signal: Option<&'a WorkSignal>,
}

/// Time between two rounds.
pub struct Pause {
    /// Time during which signals are ignored.
    pub shortest: Duration,
    /// Time after which the next round begins without a signal.
    pub longest: Duration,
}

impl From<Duration> for Pause {
    fn from(longest: Duration) -> Self {
        Self {
            shortest: Duration::ZERO,
            longest,
        }
    }
}

/// Worker of a queue.
pub struct Worker<Q> {
    pub(crate) queue: Q,
    places: u32,
    busy: AtomicU32,
}

/// Place of a job in progress, free again once this is dropped.
pub struct Place<Q: Queue>(Arc<Worker<Q>>);

impl<Q: Queue> Place<Q> {
    /// Returns `true` if other jobs have no place.
    pub(crate) fn is_last(&self) -> bool {
        self.0.free() == 0
    }
}

impl<Q: Queue> Drop for Place<Q> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::AcqRel);
        if let Some(signal) = self.0.queue.parts().signal {
            signal.work();
        }
    }
}

impl<Q: Queue> Worker<Q> {
    /// Creates a worker on up to `places` jobs at a time.
    pub(crate) fn over(queue: Q, places: u32) -> Self {
        Self {
            queue,
            places,
            busy: AtomicU32::new(0),
        }
    }

    /// Runs rounds until the future is dropped.
    pub async fn run(self: Arc<Self>) {
        let QueueParts { timer, signal, .. } = self.queue.parts();
        loop {
            let pause = self.round_and_pause().await.unwrap_or_else(|error| {
                tracing::warn!(%error, "the queue of {} can't be read", Q::JOBS);
                PAUSE_AFTER_FAILURE.into()
            });
            if !pause.shortest.is_zero() {
                timer.pause(pause.shortest).await;
            }
            let signalled = match signal {
                Some(signal) => Either::Left(signal.next_work()),
                None => Either::Right(pending()),
            };
            pin_mut!(signalled);
            select(timer.pause(pause.longest), signalled).await;
        }
    }

    async fn round_and_pause(self: &Arc<Self>) -> Result<Pause, StoreError> {
        let started = self.round().await?;
        let mut turns = Q::turns(self.places).into_iter();
        let is_full = turns.any(|(_, kept)| self.free() <= kept);
        self.queue.pause(started, is_full).await
    }

    /// Claims as many jobs as there are free places, and starts the work on them; returns their number.
    ///
    /// # Errors
    /// The store failed.
    pub async fn round(self: &Arc<Self>) -> Result<usize, StoreError> {
        let QueueParts { clock, random, .. } = self.queue.parts();
        let mut started = 0;
        for (turn, kept) in Q::turns(self.places) {
            let free = self.free().saturating_sub(kept);
            if free == 0 {
                continue;
            }
            let now = clock.now();
            let lease = Lease {
                token: new_id(clock, random),
                until: now + LEASE,
            };
            for job in self.queue.claim(turn, free, now, lease).await? {
                self.start(job, lease);
                started += 1;
            }
        }
        Ok(started)
    }

    fn free(&self) -> u32 {
        let busy = self.busy.load(Ordering::Acquire);
        self.places.saturating_sub(busy)
    }

    fn start(self: &Arc<Self>, job: Q::Job, lease: Lease) {
        self.busy.fetch_add(1, Ordering::AcqRel);
        let place = Place(Arc::clone(self));
        let (id, span) = Q::describe(&job);
        let work = async move {
            let work = place.0.queue.work(job, lease, &place);
            if AssertUnwindSafe(work).catch_unwind().await.is_err() {
                tracing::error!(%id, "the work on one of the {} panicked", Q::JOBS);
            }
        };
        (self.queue.parts().spawn)(work.instrument(span).boxed());
    }
}
