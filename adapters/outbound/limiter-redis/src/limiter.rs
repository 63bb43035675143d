//! Implementation of the `Limiter` port.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use async_trait::async_trait;
use deadpool_redis::redis::AsyncConnectionConfig;
use deadpool_redis::redis::cluster::ClusterClient;
use deadpool_redis::{Manager, Pool, Runtime};
use domain::keys::CountedKey;
use domain::limits::LimitStatus;
use domain::month::Month;
use domain::pacing::Pacing;
use futures::future::try_join_all;
use ports::outbound::{KeyState, Limiter, LimiterError, Snapshot, Verdict};
use uuid::Uuid;

use crate::batching::AdmissionBatcher;
use crate::connection::Argument;
use crate::keyspace::Keyspace;
use crate::options::{RedisLimiterError, RedisOptions, RedisTimeouts, tcp_settings};
use crate::pacer::RedisPacer;
use crate::pool::{CallError, ConnectionPool, Connector, ManagedConnection};
use crate::reply::{self, UnexpectedReply};
use crate::scripts::{self, Script};

/// Time limit for a replica's confirmation of a revocation.
const REPLICATION_TIMEOUT: Duration = Duration::from_millis(100);
/// Maximum number of keys read in one call. A call blocks Redis for some 10 µs per key; admissions
/// run between two calls, and a page of keys needs only one.
const MAX_PEEKS: usize = 100;
/// Time limit for waiting behind other revocations.
const REVOCATION_QUEUE_TIMEOUT: Duration = Duration::from_secs(2);

/// Rate limiter in Redis or a Redis Cluster. Connects on first use.
pub struct RedisLimiter {
    pool: Arc<ConnectionPool>,
    /// `None` on a cluster: its keys are on several nodes, which no single call reaches.
    batcher: Option<AdmissionBatcher>,
    /// `WAIT` blocks all later commands on its connection, so revocations have their own.
    revocations: tokio::sync::Mutex<ManagedConnection>,
    keyspace: Keyspace,
}

impl RedisLimiter {
    /// Creates a limiter on one server: `redis://` or `rediss://`, with user, password and database.
    ///
    /// # Errors
    /// A [`RedisLimiterError`] when the URL or the options are invalid. An unreachable server is no
    /// error here: the first request fails.
    pub fn single(url: &str, options: &RedisOptions) -> Result<Self, RedisLimiterError> {
        let namespace = options.checked_namespace()?;
        let timeouts = options.timeouts;
        let server = options.server(url, 1)?;
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(timeouts.create))
            .set_response_timeout(Some(timeouts.response));
        let manager = Manager::new_with_config(server, config)
            .map_err(|_| RedisLimiterError::Url { number: 1 })?;
        let pool = Pool::builder(manager)
            .max_size(options.connections.get() + 1)
            .wait_timeout(Some(timeouts.wait))
            .create_timeout(Some(timeouts.create))
            .recycle_timeout(Some(timeouts.create))
            .runtime(Runtime::Tokio1)
            .build()
            .expect("a pool with timeouts is given its runtime");
        let connector = Connector::Single(pool);
        Ok(Self::new(options, namespace, &connector, connector.clone()))
    }

    /// Creates a limiter on a cluster with the URLs of some of its nodes; the others are discovered.
    ///
    /// # Errors
    /// As [`RedisLimiter::single`]; also when the URLs differ in more than host and port.
    pub fn cluster<S: AsRef<str>>(
        urls: &[S],
        options: &RedisOptions,
    ) -> Result<Self, RedisLimiterError> {
        let namespace = options.checked_namespace()?;
        let nodes = options.nodes(urls)?;
        let client = |timeouts: RedisTimeouts| {
            let mut builder = ClusterClient::builder(nodes.clone())
                .retries(0)
                .connection_timeout(timeouts.create)
                .response_timeout(timeouts.response)
                .tcp_settings(tcp_settings());
            if let Some(certificates) = options.certificates() {
                builder = builder.certs(certificates);
            }
            builder.build().map(Arc::new)
        };
        let connector = |timeouts| match client(timeouts) {
            Ok(client) => Ok(Connector::Cluster(client)),
            Err(_) => Err(RedisLimiterError::UnlikeNodes),
        };
        let for_revocations = connector(with_replication(options.timeouts))?;
        let shared = connector(options.timeouts)?;
        Ok(Self::new(options, namespace, &shared, for_revocations))
    }

    fn new(
        options: &RedisOptions,
        namespace: String,
        shared: &Connector,
        for_revocations: Connector,
    ) -> Self {
        let timeouts = options.timeouts;
        let connections = (0..options.connections.get())
            .map(|_| ManagedConnection::new(shared.clone(), timeouts));
        let pool = Arc::new(ConnectionPool::new(connections));
        let keyspace = Keyspace::new(namespace);
        let batcher = match shared {
            Connector::Single(_) => Some(AdmissionBatcher::new(&pool, &keyspace, timeouts)),
            Connector::Cluster(_) => None,
        };
        Self {
            pool,
            batcher,
            revocations: tokio::sync::Mutex::new(ManagedConnection::new(
                for_revocations,
                with_replication(timeouts),
            )),
            keyspace,
        }
    }

    /// Creates one replica's pacer of bank queries. All replicas with the same servers and
    /// namespace share its budget. It uses this limiter's connections.
    pub fn pacer(&self, replica: Uuid, pacing: Pacing) -> RedisPacer {
        let pool = Arc::clone(&self.pool);
        RedisPacer::new(pool, self.keyspace.namespace(), replica, pacing)
    }

    /// Returns the limiter with an offset to the server's clock in milliseconds, read at each call.
    /// For tests; its keys have a namespace of their own, so that real counts can't change.
    #[must_use]
    pub fn with_clock_offset(mut self, offset: Arc<AtomicI64>) -> Self {
        self.keyspace = self.keyspace.with_offset(offset);
        let batcher = self.batcher.as_ref();
        self.batcher = batcher.map(|batcher| batcher.with_keyspace(&self.keyspace));
        self
    }

    async fn run(
        &self,
        script: &'static Script,
        key: CountedKey,
        rest: impl IntoIterator<Item = Argument>,
    ) -> Result<Vec<i64>, CallError> {
        let call = self.keyspace.call(script, &[key], rest);
        self.pool.next().run(&call).await
    }

    /// Admits or refuses one request.
    async fn decide(&self, key: CountedKey) -> Result<Vec<i64>, CallError> {
        if let Some(batcher) = &self.batcher {
            match batcher.admit(key).await {
                // A single server in cluster mode refused keys of several slots; nothing was done.
                Err(error) if error.is_cross_slot() => {}
                reply => return reply,
            }
        }
        // Boxed: it is rare, and would make the future of each admission seven times as long.
        Box::pin(self.run_on_one(&scripts::ADMIT, key)).await
    }

    /// Reads the limits of up to [`MAX_PEEKS`] keys: in one call on a single server, in one for each
    /// key on a cluster, whose slots no single call reaches.
    async fn peek_batch(&self, keys: &[CountedKey]) -> Result<Vec<Vec<i64>>, CallError> {
        if self.batcher.is_some() {
            match self.run_on_all(&scripts::PEEK, keys).await {
                Err(error) if error.is_cross_slot() => {}
                replies => return replies?.into_iter().collect(),
            }
        }
        let replies = keys.iter().map(|key| self.run_on_one(&scripts::PEEK, *key));
        try_join_all(replies).await
    }

    /// Runs a script that takes many API keys with only one.
    async fn run_on_one(
        &self,
        script: &'static Script,
        key: CountedKey,
    ) -> Result<Vec<i64>, CallError> {
        let mut replies = self.run_on_all(script, &[key]).await?;
        replies.pop().unwrap_or(Err(UnexpectedReply.into()))
    }

    /// Runs a script on many keys, in one call; returns a reply for each.
    async fn run_on_all(
        &self,
        script: &'static Script,
        keys: &[CountedKey],
    ) -> Result<Vec<Result<Vec<i64>, CallError>>, CallError> {
        let call = self.keyspace.call(script, keys, []);
        let replies = self.pool.next().run_for_each(&call).await?;
        if replies.len() == keys.len() {
            Ok(replies)
        } else {
            Err(UnexpectedReply.into())
        }
    }

    /// Waits for a replica's confirmation of a revocation, so that it survives the loss of the server.
    async fn confirm(&self, key: CountedKey, state: KeyState) -> Result<(), CallError> {
        let guard = tokio::time::timeout(REVOCATION_QUEUE_TIMEOUT, self.revocations.lock()).await;
        let connection = guard.map_err(|_| CallError::ConnectQueue(REVOCATION_QUEUE_TIMEOUT))?;
        // Applied once more, because WAIT covers the writes of its own connection.
        let call = self
            .keyspace
            .call(&scripts::APPLY, &[key], state_arguments(state));
        let confirmed = connection.run_and_wait(&call, REPLICATION_TIMEOUT).await?;
        if confirmed < 1 {
            tracing::warn!(
                key = %key,
                "no replica of Redis confirmed a revocation within {REPLICATION_TIMEOUT:?}: if the server is \
                 lost now, it may hold only after the next round of the reconciliation"
            );
        }
        Ok(())
    }
}

/// Adds the wait for replicas to the response timeout.
fn with_replication(timeouts: RedisTimeouts) -> RedisTimeouts {
    RedisTimeouts {
        response: timeouts.response + REPLICATION_TIMEOUT,
        ..timeouts
    }
}

/// Encodes a state as script arguments.
fn state_arguments(state: KeyState) -> [Argument; 4] {
    let quota = state.limits.monthly_quota();
    [
        i64::from(state.revoked).into(),
        Argument::Text(state.version.to_string()),
        i64::from(state.limits.per_minute()).into(),
        quota.map_or(-1, number).into(),
    ]
}

/// Encodes a count as a script argument, at most 2^53: larger numbers aren't exact in Lua.
fn number(number: u64) -> i64 {
    i64::try_from(number.min(1 << 53)).unwrap_or(1 << 53)
}

fn failed(cause: impl Into<CallError>) -> LimiterError {
    LimiterError {
        cause: Arc::new(cause.into()),
    }
}

#[async_trait]
impl Limiter for RedisLimiter {
    async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        let reply = self.decide(key).await.map_err(failed)?;
        reply::verdict(&reply).map_err(failed)
    }

    async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError> {
        let mut peeked = Vec::with_capacity(keys.len());
        for batch in keys.chunks(MAX_PEEKS) {
            for reply in self.peek_batch(batch).await.map_err(failed)? {
                peeked.push(reply::peeked(&reply).map_err(failed)?);
            }
        }
        Ok(peeked)
    }

    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError> {
        let used = [
            i64::from(snapshot.month.number()),
            number(snapshot.used.charged),
            number(snapshot.used.refunded),
        ];
        let arguments = state_arguments(snapshot.state)
            .into_iter()
            .chain(used.map(Argument::from));
        let done = self.run(&scripts::HYDRATE, key, arguments).await;
        done.map(drop).map_err(failed)
    }

    async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError> {
        let reply = self.run(&scripts::APPLY, key, state_arguments(state)).await;
        match *reply.map_err(failed)? {
            [] | [0] => Ok(()),
            [_replicas] => self.confirm(key, state).await.map_err(failed),
            _ => Err(failed(UnexpectedReply)),
        }
    }

    async fn forget(&self, key: CountedKey) -> Result<(), LimiterError> {
        let done = self.run(&scripts::FORGET, key, []).await;
        done.map(drop).map_err(failed)
    }

    async fn refund(
        &self,
        key: CountedKey,
        month: Month,
        request: Uuid,
    ) -> Result<(), LimiterError> {
        let arguments = [
            i64::from(month.number()).into(),
            Argument::Text(request.simple().to_string()),
        ];
        let done = self.run(&scripts::REFUND, key, arguments).await;
        done.map(drop).map_err(failed)
    }
}
