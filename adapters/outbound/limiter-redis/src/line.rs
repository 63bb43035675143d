//! Places for connections: made when they are first needed, and made again when they are lost.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use deadpool_redis::redis::cluster::ClusterClient;
use deadpool_redis::redis::{ErrorKind, RedisError, ServerErrorKind, Value, from_redis_value};
use deadpool_redis::{Connection, Pool, PoolError};
use tokio::time::timeout;

use crate::answer::Strange;
use crate::options::RedisTimeouts;
use crate::wire::{Call, Wire};

/// The driver mends a cluster's connections one by one; after so many failures with no success
/// between them they are all made anew.
const CLUSTER_PATIENCE: u64 = 16;

/// Why Redis couldn't be asked. For the log alone; holds no password.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("another request was still connecting to Redis after {0:?}")]
    Wait(Duration),
    #[error("no connection to Redis after {0:?}")]
    Slow(Duration),
    #[error("no connection to Redis: {0}")]
    Connect(#[source] Arc<PoolError>),
    #[error("no connection to the Redis Cluster: {0}")]
    ConnectCluster(#[source] RedisError),
    #[error("Redis failed: {0}")]
    Command(#[source] RedisError),
    #[error("no answer from Redis after {0:?}, with those before this one")]
    Busy(Duration),
    #[error("what asked Redis for many requests ended before their answer came")]
    Abandoned,
    #[error(transparent)]
    Strange(#[from] Strange),
}

impl Fault {
    /// Whether the server refused a call because it has slots, and the call's keys are in several.
    pub(crate) fn is_cross_slot(&self) -> bool {
        let cross_slot = ErrorKind::Server(ServerErrorKind::CrossSlot);
        matches!(self, Self::Command(error) if error.kind() == cross_slot)
    }
}

/// How connections are made.
#[derive(Clone)]
pub(crate) enum Dialler {
    /// By a pool, which owns them. They are never given back to it while they work, so it has no
    /// reason to test them: a `PING` for every request would cost more than the request.
    Single(Pool),
    /// By the client itself: the pool for clusters leaves the driver's retries on, which count
    /// twice what was done before its answer got lost.
    Cluster(Arc<ClusterClient>),
}

/// One place for a shared connection.
pub(crate) struct Line {
    dialler: Dialler,
    timeouts: RedisTimeouts,
    held: Mutex<Option<Held>>,
    dialled: AtomicU64,
    /// Held while somebody connects; what the last one who failed saw.
    turn: tokio::sync::Mutex<Option<Fault>>,
    failed: AtomicU64,
}

/// The connections that all who ask share.
pub(crate) struct Lines {
    lines: Vec<Arc<Line>>,
    next: AtomicUsize,
}

impl Lines {
    pub(crate) fn new(lines: impl Iterator<Item = Line>) -> Self {
        Self {
            lines: lines.map(Arc::new).collect(),
            next: AtomicUsize::new(0),
        }
    }

    /// The next of them.
    pub(crate) fn next(&self) -> &Line {
        &self.lines[self.next.fetch_add(1, Ordering::Relaxed) % self.lines.len()]
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Line>> {
        self.lines.iter()
    }
}

struct Held {
    wire: Wire,
    number: u64,
    /// Failures of a cluster since its last success.
    failures: u64,
    /// The pool's own handle.
    owner: Option<Connection>,
}

impl Line {
    pub(crate) fn new(dialler: Dialler, timeouts: RedisTimeouts) -> Self {
        Self {
            dialler,
            timeouts,
            held: Mutex::default(),
            dialled: AtomicU64::new(0),
            turn: tokio::sync::Mutex::default(),
            failed: AtomicU64::new(0),
        }
    }

    /// Runs a script that answers numbers.
    pub(crate) async fn run(&self, call: &Call<'_>) -> Result<Vec<i64>, Fault> {
        let (mut wire, number) = self.wire().await?;
        let answer = wire.run(call).await.and_then(numbers);
        self.judge(answer, number)
    }

    /// Runs a script that answers numbers, or an error, for each of many.
    pub(crate) async fn run_for_each(
        &self,
        call: &Call<'_>,
    ) -> Result<Vec<Result<Vec<i64>, Fault>>, Fault> {
        let (mut wire, number) = self.wire().await?;
        let answer = wire.run(call).await;
        let Value::Array(answers) = self.judge(answer, number)? else {
            return Err(Strange.into());
        };
        let each = answers.into_iter().map(|answer| match numbers(answer) {
            Ok(numbers) => Ok(numbers),
            failed => self.judge(failed, number),
        });
        Ok(each.collect())
    }

    /// Runs a script, and waits until a replica has what it wrote.
    pub(crate) async fn run_and_wait(&self, call: &Call<'_>, most: Duration) -> Result<i64, Fault> {
        let (mut wire, number) = self.wire().await?;
        let mut answer = wire.run(call).await.map(|_| 0);
        if answer.is_ok() {
            answer = wire.wait(&call.keys[0], most).await;
        }
        self.judge(answer, number)
    }

    /// Keeps or loses the connection by what came of a command on it.
    fn judge<T>(&self, answer: Result<T, RedisError>, number: u64) -> Result<T, Fault> {
        let mut slot = self.lock();
        if let Some(held) = slot.as_mut().filter(|held| held.number == number) {
            match &answer {
                Ok(_) => held.failures = 0,
                Err(error) if is_lost(error) => held.failures += 1,
                Err(_) => {}
            }
            let patience = match self.dialler {
                Dialler::Single(_) => 1,
                Dialler::Cluster(_) => CLUSTER_PATIENCE,
            };
            if held.failures >= patience
                && let Some(owner) = slot.take().and_then(|held| held.owner)
            {
                // Not back to the pool. Requests under way have their own handle.
                drop(Connection::take(owner));
            }
        }
        answer.map_err(Fault::Command)
    }

    /// The connection, and which one it is.
    async fn wire(&self) -> Result<(Wire, u64), Fault> {
        if let Some(wire) = self.current() {
            return Ok(wire);
        }
        let failed = self.failed.load(Ordering::Acquire);
        let wait = self.timeouts.wait;
        let turn = timeout(wait, self.turn.lock()).await;
        let mut last_fault = turn.map_err(|_| Fault::Wait(wait))?;
        if let Some(wire) = self.current() {
            return Ok(wire);
        }
        // Whoever waited for an attempt that failed doesn't make the next one wait for another.
        if self.failed.load(Ordering::Acquire) != failed
            && let Some(fault) = &*last_fault
        {
            return Err(fault.clone());
        }
        match self.dial().await {
            Ok((wire, owner)) => {
                let number = self.dialled.fetch_add(1, Ordering::Relaxed);
                *self.lock() = Some(Held {
                    wire: wire.clone(),
                    number,
                    failures: 0,
                    owner,
                });
                Ok((wire, number))
            }
            Err(fault) => {
                *last_fault = Some(fault.clone());
                self.failed.fetch_add(1, Ordering::Release);
                Err(fault)
            }
        }
    }

    fn current(&self) -> Option<(Wire, u64)> {
        let held = self.lock();
        held.as_ref().map(|held| (held.wire.clone(), held.number))
    }

    async fn dial(&self) -> Result<(Wire, Option<Connection>), Fault> {
        match &self.dialler {
            Dialler::Single(pool) => {
                let owner = pool.get().await;
                let owner = owner.map_err(|error| Fault::Connect(Arc::new(error)))?;
                let mut wire = (*owner).clone();
                wire.set_response_timeout(self.timeouts.response);
                Ok((Wire::Single(wire), Some(owner)))
            }
            Dialler::Cluster(client) => {
                let create = self.timeouts.create;
                let wire = timeout(create, client.get_async_connection()).await;
                let wire = wire.map_err(|_| Fault::Slow(create))?;
                let wire = wire.map_err(Fault::ConnectCluster)?;
                Ok((Wire::Cluster(wire), None))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Held>> {
        self.held
            .lock()
            .expect("nothing panics while it holds the connection")
    }
}

/// What a script answered, if that is numbers.
fn numbers(answer: Value) -> Result<Vec<i64>, RedisError> {
    Ok(from_redis_value(answer.extract_error()?)?)
}

/// Whether a connection is of no more use: it is closed, it hangs, or its server is a replica now.
fn is_lost(error: &RedisError) -> bool {
    error.is_io_error()
        || error.is_unrecoverable_error()
        || error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
}
