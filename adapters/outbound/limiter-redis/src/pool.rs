//! Connection pool: connections are made lazily, shared by all requests, and replaced when lost.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use deadpool_redis::redis::cluster::ClusterClient;
use deadpool_redis::redis::{ErrorKind, RedisError, ServerErrorKind, Value, from_redis_value};
use deadpool_redis::{Connection as PooledConnection, Pool, PoolError};
use tokio::time::timeout;

use crate::connection::{Connection, ScriptCall};
use crate::options::RedisTimeouts;
use crate::reply::UnexpectedReply;

/// Consecutive failures after which all connections of a cluster are replaced. Below that the driver
/// repairs them one by one.
const MAX_CLUSTER_FAILURES: u64 = 16;

/// Failure of a call to Redis, for the log. Contains no password.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum CallError {
    #[error("another request was still connecting to Redis after {0:?}")]
    ConnectQueue(Duration),
    #[error("no connection to Redis after {0:?}")]
    ConnectTimeout(Duration),
    #[error("no connection to Redis: {0}")]
    Connect(#[source] Arc<PoolError>),
    #[error("no connection to the Redis Cluster: {0}")]
    ConnectCluster(#[source] RedisError),
    #[error("Redis failed: {0}")]
    Command(#[source] RedisError),
    #[error("no reply from Redis after {0:?}, those of earlier batches included")]
    BatchTimeout(Duration),
    #[error("the batch of requests to Redis was aborted before its reply")]
    BatchAborted,
    #[error(transparent)]
    UnexpectedReply(#[from] UnexpectedReply),
}

impl CallError {
    /// Returns whether the server, in cluster mode, refused a call whose keys are in several slots.
    pub(crate) fn is_cross_slot(&self) -> bool {
        let cross_slot = ErrorKind::Server(ServerErrorKind::CrossSlot);
        matches!(self, Self::Command(error) if error.kind() == cross_slot)
    }
}

#[derive(Clone)]
pub(crate) enum Connector {
    /// A deadpool pool, which owns the connections. They are returned to it only when they are lost,
    /// so it never tests them: a `PING` for every request would cost more than the request.
    Single(Pool),
    /// The cluster client: the pool for clusters leaves the driver's retries on, which count a
    /// request twice whose reply was lost.
    Cluster(Arc<ClusterClient>),
}

/// A shared connection that is established lazily and replaced when lost.
pub(crate) struct ManagedConnection {
    connector: Connector,
    timeouts: RedisTimeouts,
    established: Mutex<Option<Established>>,
    /// Number of connections made so far: the generation of the next one.
    generations: AtomicU64,
    /// Held while connecting; the error of the last failed attempt.
    connecting: tokio::sync::Mutex<Option<CallError>>,
    failed_attempts: AtomicU64,
}

/// The connections that all requests share, used in turn.
pub(crate) struct ConnectionPool {
    connections: Vec<Arc<ManagedConnection>>,
    next: AtomicUsize,
}

impl ConnectionPool {
    pub(crate) fn new(connections: impl Iterator<Item = ManagedConnection>) -> Self {
        Self {
            connections: connections.map(Arc::new).collect(),
            next: AtomicUsize::new(0),
        }
    }

    /// Returns the next connection, round robin.
    pub(crate) fn next(&self) -> &ManagedConnection {
        &self.connections[self.next.fetch_add(1, Ordering::Relaxed) % self.connections.len()]
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<ManagedConnection>> {
        self.connections.iter()
    }
}

struct Established {
    connection: Connection,
    generation: u64,
    /// Failures since the last success.
    failures: u64,
    /// The pool's handle; `None` for a cluster.
    pooled: Option<PooledConnection>,
}

impl ManagedConnection {
    pub(crate) fn new(connector: Connector, timeouts: RedisTimeouts) -> Self {
        Self {
            connector,
            timeouts,
            established: Mutex::default(),
            generations: AtomicU64::new(0),
            connecting: tokio::sync::Mutex::default(),
            failed_attempts: AtomicU64::new(0),
        }
    }

    /// Runs a script whose reply is numbers.
    pub(crate) async fn run(&self, call: &ScriptCall) -> Result<Vec<i64>, CallError> {
        let (mut connection, generation) = self.connection().await?;
        let reply = connection.run(call).await.and_then(numbers);
        self.check(reply, generation)
    }

    /// Runs a script whose reply is an array of numbers or an error for each of many requests.
    pub(crate) async fn run_for_each(
        &self,
        call: &ScriptCall,
    ) -> Result<Vec<Result<Vec<i64>, CallError>>, CallError> {
        let (mut connection, generation) = self.connection().await?;
        let reply = connection.run(call).await;
        let Value::Array(replies) = self.check(reply, generation)? else {
            return Err(UnexpectedReply.into());
        };
        let each = replies.into_iter().map(|reply| match numbers(reply) {
            Ok(numbers) => Ok(numbers),
            failed => self.check(failed, generation),
        });
        Ok(each.collect())
    }

    /// Runs a script, then waits until a replica has its writes; returns how many have.
    pub(crate) async fn run_and_wait(
        &self,
        call: &ScriptCall,
        max: Duration,
    ) -> Result<i64, CallError> {
        let (mut connection, generation) = self.connection().await?;
        let mut reply = connection.run(call).await.map(|_| 0);
        if reply.is_ok() {
            reply = connection.wait(&call.keys[0], max).await;
        }
        self.check(reply, generation)
    }

    /// Drops the connection when a command's result shows that it is lost.
    fn check<T>(&self, reply: Result<T, RedisError>, generation: u64) -> Result<T, CallError> {
        let mut slot = self.lock();
        if let Some(current) = slot
            .as_mut()
            .filter(|current| current.generation == generation)
        {
            match &reply {
                Ok(_) => current.failures = 0,
                Err(error) if is_lost(error) => current.failures += 1,
                Err(_) => {}
            }
            let max_failures = match self.connector {
                Connector::Single(_) => 1,
                Connector::Cluster(_) => MAX_CLUSTER_FAILURES,
            };
            if current.failures >= max_failures
                && let Some(pooled) = slot.take().and_then(|current| current.pooled)
            {
                // Not returned to the pool. Requests in progress have their own handle.
                drop(PooledConnection::take(pooled));
            }
        }
        reply.map_err(CallError::Command)
    }

    /// Returns the connection and its generation; connects if there is none.
    async fn connection(&self) -> Result<(Connection, u64), CallError> {
        if let Some(current) = self.current() {
            return Ok(current);
        }
        let failed = self.failed_attempts.load(Ordering::Acquire);
        let wait = self.timeouts.wait;
        let guard = timeout(wait, self.connecting.lock()).await;
        let mut last_error = guard.map_err(|_| CallError::ConnectQueue(wait))?;
        if let Some(current) = self.current() {
            return Ok(current);
        }
        // A request that waited for a failed attempt shares its error; another attempt would make
        // those behind it wait once more.
        if self.failed_attempts.load(Ordering::Acquire) != failed
            && let Some(error) = &*last_error
        {
            return Err(error.clone());
        }
        match self.connect().await {
            Ok((connection, pooled)) => {
                let generation = self.generations.fetch_add(1, Ordering::Relaxed);
                *self.lock() = Some(Established {
                    connection: connection.clone(),
                    generation,
                    failures: 0,
                    pooled,
                });
                Ok((connection, generation))
            }
            Err(error) => {
                *last_error = Some(error.clone());
                self.failed_attempts.fetch_add(1, Ordering::Release);
                Err(error)
            }
        }
    }

    fn current(&self) -> Option<(Connection, u64)> {
        let slot = self.lock();
        slot.as_ref()
            .map(|current| (current.connection.clone(), current.generation))
    }

    async fn connect(&self) -> Result<(Connection, Option<PooledConnection>), CallError> {
        match &self.connector {
            Connector::Single(pool) => {
                let pooled = pool.get().await;
                let pooled = pooled.map_err(|error| CallError::Connect(Arc::new(error)))?;
                let mut connection = (*pooled).clone();
                connection.set_response_timeout(self.timeouts.response);
                Ok((Connection::Single(connection), Some(pooled)))
            }
            Connector::Cluster(client) => {
                let create = self.timeouts.create;
                let connection = timeout(create, client.get_async_connection()).await;
                let connection = connection.map_err(|_| CallError::ConnectTimeout(create))?;
                let connection = connection.map_err(CallError::ConnectCluster)?;
                Ok((Connection::Cluster(connection), None))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Established>> {
        self.established
            .lock()
            .expect("nothing panics while it holds the connection")
    }
}

/// Parses a reply of numbers.
fn numbers(reply: Value) -> Result<Vec<i64>, RedisError> {
    Ok(from_redis_value(reply.extract_error()?)?)
}

/// Returns whether an error means that the connection is unusable: it is closed, it hangs, or its
/// server is a replica now.
fn is_lost(error: &RedisError) -> bool {
    error.is_io_error()
        || error.is_unrecoverable_error()
        || error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
}
