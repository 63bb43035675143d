//! Batching of admissions on a single server, which has all keys.
//!
//! Admissions that arrive while a call is under way queue up, and the next call takes all of them:
//! the busier the server, the larger the batches. No admission waits for others to arrive.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use domain::keys::CountedKey;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::keyspace::Keyspace;
use crate::options::RedisTimeouts;
use crate::pool::{CallError, ConnectionPool, ManagedConnection};
use crate::reply::UnexpectedReply;
use crate::scripts;

/// Maximum number of admissions in one call. A call blocks the server for some 12 µs per admission.
const MAX_BATCH: usize = 64;

type Reply = Result<Vec<i64>, CallError>;

/// Admits requests in batches, one batch at a time on each connection.
pub(crate) struct AdmissionBatcher {
    queues: Vec<Arc<BatchQueue>>,
    next: AtomicUsize,
    /// Time limit for a reply, queueing included.
    timeout: Duration,
}

/// The queue of one connection.
struct BatchQueue {
    connection: Arc<ManagedConnection>,
    keyspace: Keyspace,
    state: Mutex<QueueState>,
}

#[derive(Default)]
struct QueueState {
    admissions: Vec<QueuedAdmission>,
    has_worker: bool,
}

struct QueuedAdmission {
    key: CountedKey,
    reply: oneshot::Sender<Reply>,
}

/// Sends a queue's batches one after the other, until the queue is empty.
struct BatchWorker {
    queue: Arc<BatchQueue>,
    is_finished: bool,
}

impl AdmissionBatcher {
    /// Creates a queue for each connection of the pool.
    pub(crate) fn new(pool: &ConnectionPool, keyspace: &Keyspace, timeouts: RedisTimeouts) -> Self {
        let timeout = timeouts.wait + timeouts.create + timeouts.response;
        Self::over(pool.all(), keyspace, timeout)
    }

    /// Returns a batcher on the same connections for another keyspace.
    pub(crate) fn with_keyspace(&self, keyspace: &Keyspace) -> Self {
        let connections = self.queues.iter().map(|queue| &queue.connection);
        Self::over(connections, keyspace, self.timeout)
    }

    fn over<'a>(
        connections: impl Iterator<Item = &'a Arc<ManagedConnection>>,
        keyspace: &Keyspace,
        timeout: Duration,
    ) -> Self {
        let queue = |connection| {
            Arc::new(BatchQueue {
                connection: Arc::clone(connection),
                keyspace: keyspace.clone(),
                state: Mutex::default(),
            })
        };
        Self {
            queues: connections.map(queue).collect(),
            next: AtomicUsize::new(0),
            timeout,
        }
    }

    /// Queues one admission, and returns the script's reply to it.
    pub(crate) async fn admit(&self, key: CountedKey) -> Reply {
        let next = self.next.fetch_add(1, Ordering::Relaxed) % self.queues.len();
        let queue = &self.queues[next];
        let (sender, reply) = oneshot::channel();
        let admission = QueuedAdmission { key, reply: sender };
        if queue.push_needs_worker(admission) {
            let worker = BatchWorker {
                queue: Arc::clone(queue),
                is_finished: false,
            };
            tokio::spawn(worker.run());
        }
        match timeout(self.timeout, reply).await {
            Ok(reply) => reply.unwrap_or(Err(CallError::BatchAborted)),
            // The admission also leaves the queue: a slow server may have many before it.
            Err(_) => Err(CallError::BatchTimeout(self.timeout)),
        }
    }
}

impl BatchQueue {
    /// Adds an admission; returns whether the caller has to start a worker.
    fn push_needs_worker(&self, admission: QueuedAdmission) -> bool {
        let mut state = self.lock();
        state.admissions.push(admission);
        !std::mem::replace(&mut state.has_worker, true)
    }

    /// Takes the next batch. When it is empty, the queue has no worker any more.
    fn next_batch(&self) -> Vec<QueuedAdmission> {
        let mut state = self.lock();
        // A request whose caller disconnected isn't counted.
        state
            .admissions
            .retain(|admission| !admission.reply.is_closed());
        state.has_worker = !state.admissions.is_empty();
        let count = state.admissions.len().min(MAX_BATCH);
        state.admissions.drain(..count).collect()
    }

    fn take_all(&self) -> Vec<QueuedAdmission> {
        std::mem::take(&mut self.lock().admissions)
    }

    async fn send(&self, batch: &[QueuedAdmission]) -> Result<Vec<Reply>, CallError> {
        let keys: Vec<_> = batch.iter().map(|admission| admission.key).collect();
        let call = self.keyspace.call(&scripts::ADMIT, &keys, []);
        self.connection.run_for_each(&call).await
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        let state = self.state.lock();
        state.expect("nothing panics while it holds the queue")
    }
}

impl BatchWorker {
    async fn run(mut self) {
        loop {
            // Lets tasks that are ready to run add their admissions to the batch.
            tokio::task::yield_now().await;
            let batch = self.queue.next_batch();
            if batch.is_empty() {
                self.is_finished = true;
                return;
            }
            match self.queue.send(&batch).await {
                Ok(replies) if replies.len() == batch.len() => {
                    for (admission, reply) in batch.into_iter().zip(replies) {
                        // The caller may have disconnected.
                        let _ = admission.reply.send(reply);
                    }
                }
                Ok(_) => fail(batch, &UnexpectedReply.into()),
                Err(error) => {
                    fail(batch, &error);
                    // Those that queued behind a failed call don't wait for another.
                    fail(self.queue.take_all(), &error);
                }
            }
        }
    }
}

impl Drop for BatchWorker {
    /// Fails the queued admissions if the worker ends early, by a panic or with its runtime.
    fn drop(&mut self) {
        if !self.is_finished {
            *self.queue.lock() = QueueState::default();
        }
    }
}

fn fail(admissions: Vec<QueuedAdmission>, error: &CallError) {
    for admission in admissions {
        let _ = admission.reply.send(Err(error.clone()));
    }
}
