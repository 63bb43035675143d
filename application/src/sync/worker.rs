//! Worker of a queue: claims due jobs under leases, and works on a limited number of them at a time. Several
//! processes may run one on the same queue, because each job is claimed by one.

use std::future::ready;
use std::iter;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures::future::{Either, pending, select};
use futures::{FutureExt as _, pin_mut};
use ports::outbound::{ClaimedClasses, Clock, Lease, Random, StoreError, Timer, new_id};
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

/// A queue of leased jobs, and the work on them.
pub trait Queue: Send + Sync + Sized + 'static {
    /// A claimed job.
    type Job: Send;
    /// Name of the jobs in the log, in the plural.
    const JOBS: &'static str;

    /// Returns the worker's dependencies.
    fn tasks(&self) -> Tasks<'_>;

    /// Number of places that are reserved for interactive jobs.
    fn reserved(_places: u32) -> u32 {
        0
    }

    /// Claims up to `most` jobs that are due.
    fn claim(
        &self,
        classes: ClaimedClasses,
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
        _started: usize,
        _is_full: bool,
    ) -> impl Future<Output = Result<Duration, StoreError>> + Send {
        ready(Ok(POLL))
    }
}

/// Dependencies of a worker.
pub struct Tasks<'a> {
    /// Current time, for leases.
    pub clock: &'a dyn Clock,
    /// Sleeps between rounds.
    pub timer: &'a dyn Timer,
    /// Generates lease tokens.
    pub random: &'a dyn Random,
    /// Spawns the task of a job.
    pub spawn: &'a SpawnTask,
    /// Maximum number of jobs in progress.
    pub places: u32,
    /// Signals of new jobs and free places; `None` if the queue is only polled.
    pub signal: Option<&'a WorkSignal>,
}

/// Worker of a queue.
pub struct Worker<Q> {
    queue: Q,
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
        if let Some(signal) = self.0.queue.tasks().signal {
            signal.work();
        }
    }
}

impl<Q: Queue> Worker<Q> {
    /// Creates a worker of this queue.
    pub fn new(queue: Q) -> Self {
        let busy = AtomicU32::new(0);
        Self { queue, busy }
    }

    /// Runs rounds until the future is dropped.
    pub async fn run(self: Arc<Self>) {
        let Tasks { timer, signal, .. } = self.queue.tasks();
        loop {
            let pause = self.round_and_pause().await.unwrap_or_else(|error| {
                tracing::warn!(%error, "the queue of {} can't be read", Q::JOBS);
                PAUSE_AFTER_FAILURE
            });
            let signalled = match signal {
                Some(signal) => Either::Left(signal.next_work()),
                None => Either::Right(pending()),
            };
            pin_mut!(signalled);
            select(timer.pause(pause), signalled).await;
        }
    }

    async fn round_and_pause(self: &Arc<Self>) -> Result<Duration, StoreError> {
        let started = self.round().await?;
        let is_full = self.free() <= Q::reserved(self.queue.tasks().places);
        self.queue.pause(started, is_full).await
    }

    /// Claims as many jobs as there are free places, and starts the work on them; returns their number.
    ///
    /// # Errors
    /// The store failed.
    pub async fn round(self: &Arc<Self>) -> Result<usize, StoreError> {
        let Tasks {
            clock,
            random,
            places,
            ..
        } = self.queue.tasks();
        let reserved = Q::reserved(places);
        let interactive = (reserved > 0).then_some((ClaimedClasses::Interactive, 0));
        let mut started = 0;
        for (classes, kept) in iter::once((ClaimedClasses::All, reserved)).chain(interactive) {
            let free = self.free().saturating_sub(kept);
            if free == 0 {
                continue;
            }
            let now = clock.now();
            let lease = Lease {
                token: new_id(clock, random),
                until: now + LEASE,
            };
            for job in self.queue.claim(classes, free, now, lease).await? {
                self.start(job, lease);
                started += 1;
            }
        }
        Ok(started)
    }

    fn free(&self) -> u32 {
        let busy = self.busy.load(Ordering::Acquire);
        self.queue.tasks().places.saturating_sub(busy)
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
        (self.queue.tasks().spawn)(work.instrument(span).boxed());
    }
}
