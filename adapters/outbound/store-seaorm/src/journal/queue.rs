//! Queue of entries to be written, and the receipts that wait for them.

use std::future::{Future, ready};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::keys::KeyId;
use domain::month::Month;
use ports::Cause;
use ports::outbound::{AdmissionEntry, JournalError, Receipt, RequestEntry};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout_at};

use super::batch::{Batch, Linger, Progress};
use super::statistics::{self, Increase, RequestKind};

/// The batch that is being filled, and the state of the one that is being written.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// Wakes the writer.
    filled: Notify,
    capacity: usize,
    patience: Duration,
    /// Delay of entries that no answer waits for.
    linger: Linger,
}

#[derive(Debug)]
struct State {
    filling: Batch,
    writing: Option<Writing>,
    /// Time at which the queue was closed; `None` while it is open.
    closed: Option<Instant>,
    /// Requests dropped since the last commit.
    dropped: usize,
    /// Error of the last commit, until one succeeds.
    trouble: Option<Cause>,
}

/// The batch that is being written.
#[derive(Debug)]
struct Writing {
    entries: usize,
    /// The batch has no entries that could be lost.
    is_empty: bool,
    since: Instant,
    progress: watch::Receiver<Progress>,
}

impl State {
    fn waiting(&self) -> usize {
        let written = self.writing.as_ref().map_or(0, |writing| writing.entries);
        self.filling.entries + written
    }

    fn is_full(&self, capacity: usize) -> bool {
        self.waiting() >= capacity
    }

    fn drop_one(&mut self) {
        self.dropped += 1;
        if self.dropped == 1 {
            tracing::warn!("the journal is full or closed: requests are not kept");
        }
    }
}

impl Queue {
    pub(super) fn new(capacity: usize, patience: Duration, linger: Linger) -> Self {
        let state = State {
            filling: Batch::new(),
            writing: None,
            closed: None,
            dropped: 0,
            trouble: None,
        };
        Self {
            state: Mutex::new(state),
            filled: Notify::new(),
            capacity,
            patience,
            linger,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the queue")
    }

    /// Counts one admission. A full queue counts it too, since all counts of a key share one entry,
    /// but the receipt fails: the request is then refused, and its refund takes the count back.
    pub(super) fn admit(self: &Arc<Self>, entry: AdmissionEntry) -> Receipt {
        let mut state = self.state();
        if state.closed.is_some() {
            return Receipt::new(ready(Err(JournalError::Closed)));
        }
        let full = state.is_full(self.capacity);
        let batch = &mut state.filling;
        batch.use_of(entry.key, entry.month, entry.at).charged += 1;
        if full {
            return Receipt::new(ready(Err(JournalError::Full)));
        }
        batch.entries += 1;
        let progress = batch.progress.subscribe();
        drop(state);
        self.filled.notify_one();
        Receipt::new(Arc::clone(self).durable(progress))
    }

    /// Refunds one request of a month, even when the queue is full.
    pub(super) fn refund(&self, key: KeyId, month: Month, at: DateTime<Utc>) {
        let mut state = self.state();
        if state.closed.is_none() {
            state.filling.use_of(key, month, at).refunded += 1;
            drop(state);
            self.filled.notify_one();
        }
    }

    /// Adds a request and counts it in the statistics, unless the queue is full. Written without
    /// linger.
    pub(super) fn keep_and_count(&self, entry: RequestEntry) {
        self.fill(|batch| {
            let (kind, increase) = statistics::of_request(&entry);
            batch.add(kind, &increase, entry.at);
            batch.keep(entry, None)
        });
    }

    /// Adds a request, unless the queue is full.
    pub(super) fn keep(&self, entry: RequestEntry) {
        self.fill(|batch| batch.keep(entry, Some(self.linger)));
    }

    /// Runs `fill` on the batch, unless the queue is closed or full; wakes the writer if `fill`
    /// returns true.
    fn fill(&self, fill: impl FnOnce(&mut Batch) -> bool) {
        let mut state = self.state();
        if state.closed.is_some() || state.is_full(self.capacity) {
            state.drop_one();
            return;
        }
        if fill(&mut state.filling) {
            drop(state);
            self.filled.notify_one();
        }
    }

    /// Counts a request in the statistics. A full queue counts it too if it already has a count of
    /// the same kind.
    pub(super) fn count(&self, (kind, increase): (RequestKind, Increase), at: DateTime<Utc>) {
        let mut state = self.state();
        let has_room = !state.is_full(self.capacity) || state.filling.has(&kind);
        if state.closed.is_some() || !has_room {
            state.drop_one();
            return;
        }
        if state.filling.count(kind, &increase, at, self.linger) {
            drop(state);
            self.filled.notify_one();
        }
    }

    /// Resolves once everything handed over before is durable.
    pub(super) fn flush(
        self: &Arc<Self>,
    ) -> impl Future<Output = Result<(), JournalError>> + Send + 'static {
        let mut state = self.state();
        let last = if state.filling.is_empty() {
            let writing = state.writing.as_ref();
            writing.map(|writing| writing.progress.clone())
        } else {
            state.filling.linger_until = None;
            Some(state.filling.progress.subscribe())
        };
        drop(state);
        self.filled.notify_one();
        let queue = Arc::clone(self);
        async move {
            match last {
                Some(progress) => queue.durable(progress).await,
                None => Ok(()),
            }
        }
    }

    /// Waits until a batch is durable, at most for the journal's patience.
    fn durable(
        self: Arc<Self>,
        mut progress: watch::Receiver<Progress>,
    ) -> impl Future<Output = Result<(), JournalError>> + Send + 'static {
        let deadline = Instant::now() + self.patience;
        async move {
            let durable = progress.wait_for(|progress| *progress == Progress::Durable);
            match timeout_at(deadline, durable).await {
                Ok(Ok(_)) => Ok(()),
                // The writer gave up the batch, or takes too long.
                Ok(Err(_)) | Err(_) => Err(self.failure()),
            }
        }
    }

    /// Number of entries in the batch being filled and in the one being written.
    pub(super) fn waiting(&self) -> usize {
        self.state().waiting()
    }

    /// Error of the last commit, until one succeeds.
    pub(super) fn trouble(&self) -> Option<Cause> {
        self.state().trouble.clone()
    }

    /// Checks that an entry may become durable in time.
    pub(super) fn accepts(&self) -> Result<(), JournalError> {
        let state = self.state();
        if state.closed.is_some() {
            return Err(JournalError::Closed);
        }
        if state.is_full(self.capacity) {
            return Err(JournalError::Full);
        }
        let writing = state.writing.as_ref();
        let is_stuck = writing.is_some_and(|writing| writing.since.elapsed() >= self.patience);
        drop(state);
        if is_stuck {
            Err(self.failure())
        } else {
            Ok(())
        }
    }

    /// Writes an empty batch to test the database, unless a batch is being written.
    pub(super) fn probe(&self) {
        let mut state = self.state();
        if state.closed.is_none() && state.writing.is_none() {
            state.filling.is_probe = true;
            state.filling.linger_until = None;
            drop(state);
            self.filled.notify_one();
        }
    }

    fn failure(&self) -> JournalError {
        let cause = self.trouble();
        JournalError::Store {
            cause: cause.unwrap_or_else(|| Arc::new(Slow(self.patience))),
        }
    }

    pub(super) fn close(&self) {
        self.state().closed.get_or_insert_with(Instant::now);
        self.filled.notify_one();
    }

    /// Fails when the writer ended and left entries unwritten.
    pub(super) fn ensure_all_written(&self) -> Result<(), JournalError> {
        let state = self.state();
        let writing = state.writing.as_ref();
        let nothing = state.filling.is_empty() && writing.is_none_or(|writing| writing.is_empty);
        drop(state);
        if nothing { Ok(()) } else { Err(self.failure()) }
    }
}

/// Operations of the writer.
impl Queue {
    /// The next batch, once there is one; `None` when the queue is closed and empty.
    pub(super) async fn next(&self) -> Option<Batch> {
        loop {
            let filled = self.filled.notified();
            let linger_until = {
                let mut state = self.state();
                let closed = state.closed.is_some();
                let empty = state.filling.is_empty();
                let probes = state.filling.is_probe && !closed;
                let linger_until = state.filling.linger_until;
                let lingers = linger_until.is_some_and(|until| Instant::now() < until);
                if (!empty && (closed || !lingers)) || probes {
                    let batch = std::mem::replace(&mut state.filling, Batch::new());
                    state.writing = Some(Writing {
                        entries: batch.entries,
                        is_empty: empty,
                        since: Instant::now(),
                        progress: batch.progress.subscribe(),
                    });
                    return Some(batch);
                }
                if closed {
                    return None;
                }
                linger_until
            };
            match linger_until {
                // After a timeout or a wake-up the state is checked again.
                Some(until) => drop(timeout_at(until, filled).await),
                None => filled.await,
            }
        }
    }

    /// Resolves the receipts of a batch that is durable.
    pub(super) fn written(&self, batch: &Batch) {
        let mut state = self.state();
        state.writing = None;
        state.trouble = None;
        let dropped = std::mem::take(&mut state.dropped);
        drop(state);
        batch.progress.send_replace(Progress::Durable);
        if dropped > 0 {
            tracing::warn!(dropped, "requests were not kept: the journal was full");
        }
    }

    /// Records the error of a commit, for receipts that time out.
    pub(super) fn record_failure(&self, cause: Cause) {
        self.state().trouble = Some(cause);
    }

    /// Returns whether the writer should give up a batch: the journal was closed longer ago than
    /// its patience, or it is closed and the batch is empty.
    pub(super) fn should_give_up(&self, batch: &Batch) -> bool {
        let closed = self.state().closed;
        closed.is_some_and(|closed| batch.is_empty() || closed.elapsed() >= self.patience)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a commit takes longer than {0:?}")]
struct Slow(Duration);
