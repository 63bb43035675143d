//! The port, call by call.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use async_trait::async_trait;
use deadpool_redis::redis::AsyncConnectionConfig;
use deadpool_redis::redis::cluster::ClusterClient;
use deadpool_redis::{Manager, Pool, Runtime};
use domain::key::KeyId;
use domain::limits::LimitStatus;
use domain::month::Month;
use domain::pacing::Pacing;
use ports::outbound::{KeyState, Limiter, LimiterError, Snapshot, Verdict};
use uuid::Uuid;

use crate::admissions::Admissions;
use crate::answer::{self, Strange};
use crate::line::{Dialler, Fault, Line, Lines};
use crate::options::{RedisLimiterError, RedisOptions, RedisTimeouts, tcp_settings};
use crate::pacer::RedisPacer;
use crate::scripts::{self, Script};
use crate::space::Space;
use crate::wire::{Argument, Call};

/// How long a revocation waits for a replica.
const REPLICATION: Duration = Duration::from_millis(100);
/// How long a revocation waits for those before it.
const TURN: Duration = Duration::from_secs(2);

/// Counts in Redis, or in a Redis Cluster. Connects when it is first asked.
pub struct RedisLimiter {
    lines: Arc<Lines>,
    /// On one server; a cluster has keys in many places, which no call reaches together.
    admissions: Option<Admissions>,
    /// `WAIT` holds up everything behind it on its connection, so it has one of its own.
    revocations: tokio::sync::Mutex<Line>,
    space: Space,
}

impl RedisLimiter {
    /// A limiter on one server: `redis://` or `rediss://`, with user, password and database.
    ///
    /// # Errors
    /// A [`RedisLimiterError`] when the URL or the options can't be used. A server that isn't
    /// there is none: the first request finds out.
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
        let dialler = Dialler::Single(pool);
        Ok(Self::new(options, namespace, &dialler, dialler.clone()))
    }

    /// A limiter on a cluster, of which some nodes are named; they tell of the others.
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
        let dialler = |timeouts| match client(timeouts) {
            Ok(client) => Ok(Dialler::Cluster(client)),
            Err(_) => Err(RedisLimiterError::UnlikeNodes),
        };
        let patient = dialler(patient(options.timeouts))?;
        let shared = dialler(options.timeouts)?;
        Ok(Self::new(options, namespace, &shared, patient))
    }

    fn new(options: &RedisOptions, namespace: String, shared: &Dialler, own: Dialler) -> Self {
        let timeouts = options.timeouts;
        let lines = (0..options.connections.get()).map(|_| Line::new(shared.clone(), timeouts));
        let (lines, space) = (Arc::new(Lines::new(lines)), Space::new(namespace));
        let admissions = match shared {
            Dialler::Single(_) => Some(Admissions::new(&lines, &space, timeouts)),
            Dialler::Cluster(_) => None,
        };
        Self {
            lines,
            admissions,
            revocations: tokio::sync::Mutex::new(Line::new(own, patient(timeouts))),
            space,
        }
    }

    /// A pacer of the bank, for all who use the same servers and namespace. It shares this limiter's
    /// connections.
    pub fn pacer(&self, pacing: Pacing) -> RedisPacer {
        RedisPacer::new(Arc::clone(&self.lines), self.space.namespace(), pacing)
    }

    /// The same limiter in another time: so many milliseconds, as they are at each call, are added
    /// to the server's. For tests; its keys are others than the real ones, so that it can't
    /// change what is counted of them.
    #[must_use]
    pub fn in_shifted_time(mut self, shift: Arc<AtomicI64>) -> Self {
        self.space = self.space.shifted(shift);
        let admissions = self.admissions.as_ref();
        self.admissions = admissions.map(|admissions| admissions.moved_to(&self.space));
        self
    }

    async fn run(
        &self,
        script: &Script,
        key: KeyId,
        rest: impl IntoIterator<Item = Argument>,
    ) -> Result<Vec<i64>, Fault> {
        let (keys, arguments) = self.told(script, key, rest);
        let call = Call {
            script,
            keys: &keys,
            arguments: &arguments,
        };
        self.lines.next().run(&call).await
    }

    /// Has one request admitted or refused.
    async fn ask(&self, key: KeyId) -> Result<Vec<i64>, Fault> {
        if let Some(admissions) = &self.admissions {
            match admissions.ask(key).await {
                // A server in cluster mode that has all slots: nothing was done.
                Err(fault) if fault.is_cross_slot() => {}
                answer => return answer,
            }
        }
        let (keys, arguments) = self.told(&scripts::ADMIT, key, []);
        let call = Call {
            script: &scripts::ADMIT,
            keys: &keys,
            arguments: &arguments,
        };
        let mut answers = self.lines.next().run_for_each(&call).await?;
        answers.pop().unwrap_or(Err(Strange.into()))
    }

    /// What a script is told that is about one key.
    fn told(
        &self,
        script: &Script,
        key: KeyId,
        rest: impl IntoIterator<Item = Argument>,
    ) -> (Vec<String>, Vec<Argument>) {
        let keys = self.space.keys(script, key).collect();
        (keys, self.space.arguments(rest))
    }

    /// Has a replica confirm a revocation, so that it is still one after the server is lost.
    async fn confirm(&self, key: KeyId, state: KeyState) -> Result<(), Fault> {
        let turn = tokio::time::timeout(TURN, self.revocations.lock()).await;
        let line = turn.map_err(|_| Fault::Wait(TURN))?;
        let (keys, arguments) = self.told(&scripts::APPLY, key, described(state));
        // Once more, for WAIT looks at what its own connection wrote.
        let call = Call {
            script: &scripts::APPLY,
            keys: &keys,
            arguments: &arguments,
        };
        let confirmed = line.run_and_wait(&call, REPLICATION).await?;
        if confirmed < 1 {
            tracing::warn!(
                key = %key,
                "no replica of Redis confirmed a revocation within {REPLICATION:?}: if the server is \
                 lost now, it may hold only after the next round of the reconciliation"
            );
        }
        Ok(())
    }
}

/// Time to answer after a wait for replicas.
fn patient(timeouts: RedisTimeouts) -> RedisTimeouts {
    RedisTimeouts {
        response: timeouts.response + REPLICATION,
        ..timeouts
    }
}

/// A state as the scripts take it.
fn described(state: KeyState) -> [Argument; 4] {
    let quota = state.limits.monthly_quota();
    [
        i64::from(state.revoked).into(),
        Argument::Text(state.version.to_string()),
        i64::from(state.limits.per_minute()).into(),
        quota.map_or(-1, number).into(),
    ]
}

/// A count as the scripts take it: their numbers are exact up to 2^53.
fn number(number: u64) -> i64 {
    i64::try_from(number.min(1 << 53)).unwrap_or(1 << 53)
}

fn failed(cause: impl Into<Fault>) -> LimiterError {
    LimiterError {
        cause: Arc::new(cause.into()),
    }
}

#[async_trait]
impl Limiter for RedisLimiter {
    async fn admit(&self, key: KeyId) -> Result<Verdict, LimiterError> {
        let answer = self.ask(key).await.map_err(failed)?;
        answer::verdict(&answer).map_err(failed)
    }

    async fn peek(&self, key: KeyId) -> Result<Option<LimitStatus>, LimiterError> {
        let answer = self.run(&scripts::PEEK, key, []).await.map_err(failed)?;
        answer::peeked(&answer).map_err(failed)
    }

    async fn hydrate(&self, key: KeyId, snapshot: Snapshot) -> Result<(), LimiterError> {
        let used = [
            i64::from(snapshot.month.number()),
            number(snapshot.used.charged),
            number(snapshot.used.refunded),
        ];
        let arguments = described(snapshot.state)
            .into_iter()
            .chain(used.map(Argument::from));
        let done = self.run(&scripts::HYDRATE, key, arguments).await;
        done.map(drop).map_err(failed)
    }

    async fn apply(&self, key: KeyId, state: KeyState) -> Result<(), LimiterError> {
        let answer = self.run(&scripts::APPLY, key, described(state)).await;
        match *answer.map_err(failed)? {
            [] | [0] => Ok(()),
            [_replicas] => self.confirm(key, state).await.map_err(failed),
            _ => Err(failed(Strange)),
        }
    }

    async fn forget(&self, key: KeyId) -> Result<(), LimiterError> {
        let done = self.run(&scripts::FORGET, key, []).await;
        done.map(drop).map_err(failed)
    }

    async fn refund(&self, key: KeyId, month: Month, request: Uuid) -> Result<(), LimiterError> {
        let arguments = [
            i64::from(month.number()).into(),
            Argument::Text(request.simple().to_string()),
        ];
        let done = self.run(&scripts::REFUND, key, arguments).await;
        done.map(drop).map_err(failed)
    }
}
