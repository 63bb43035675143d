//! Helpers: options, states, a shifted clock.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use deadpool_redis::redis;
use domain::keys::{CountedKey, KeyId};
use domain::limits::{LimitStatus, Limits, MonthlyUse};
use domain::month::Month;
use limiter_redis::{RedisLimiter, RedisOptions, RedisTimeouts};
use ports::contract::limiter::TestTime;
use ports::outbound::{KeyState, Limiter, LimiterError, Snapshot, Verdict};
use testkit::redis::{Cluster, Redis};
use tokio::runtime::Handle;
use uuid::Uuid;

pub(crate) const KEY: CountedKey = CountedKey::first(KeyId(Uuid::from_u128(
    0x0198_f3c2_0000_7000_8000_0000_0000_0001,
)));

/// Middle of a month.
pub(crate) const MID_MONTH: &str = "2026-11-20T16:00:00Z";

/// Starts a server with its usual options, if Redis is installed.
pub(crate) fn redis() -> Option<Redis> {
    Redis::start(&[])
}

/// Starts a cluster of three masters, if Redis is installed.
pub(crate) fn cluster() -> Option<Cluster> {
    Cluster::of_masters()
}

pub(crate) fn limiter_on(server: &Redis) -> RedisLimiter {
    RedisLimiter::single(&server.url(), &options()).unwrap()
}

/// Returns a limiter whose clock shows `start` now, and the clock.
pub(crate) fn shifted_limiter(server: &Redis, start: &str) -> (RedisLimiter, OffsetClock) {
    let time = OffsetClock::at(server.url(), start);
    let limiter = limiter_on(server).with_clock_offset(Arc::clone(&time.shift));
    (limiter, time)
}

/// Returns the key of this number, which succeeds no other.
pub(crate) fn numbered(number: u128) -> CountedKey {
    CountedKey::first(KeyId(Uuid::from_u128(number)))
}

/// Returns the name of the state hash of `key`.
pub(crate) fn state_of(key: CountedKey) -> String {
    if key.counters == key.id.into() {
        return counters_of(key);
    }
    let (counters, id) = (key.counters.0.simple(), key.id.0.simple());
    format!("cep:{{{counters}}}:{{{id}}}:s")
}

/// Returns the name of the hash of the counters of `key`.
pub(crate) fn counters_of(key: CountedKey) -> String {
    format!("cep:{{{}}}:s", key.counters.0.simple())
}

/// Returns the name of the log of `key`.
pub(crate) fn log_of(key: CountedKey) -> String {
    format!("cep:{{{}}}:w", key.counters.0.simple())
}

/// Options with long timeouts: the test machine may be busy.
pub(crate) fn options() -> RedisOptions {
    let patience = Duration::from_secs(10);
    RedisOptions {
        timeouts: RedisTimeouts {
            wait: patience,
            create: patience,
            response: patience,
        },
        ..RedisOptions::default()
    }
}

pub(crate) fn state(per_minute: u32, quota: Option<u64>, version: u64) -> KeyState {
    KeyState {
        revoked: false,
        limits: Limits::new(per_minute, quota).unwrap(),
        version,
    }
}

pub(crate) fn revoked(version: u64) -> KeyState {
    KeyState {
        revoked: true,
        ..state(60, Some(1_000), version)
    }
}

pub(crate) fn used(charged: u64) -> MonthlyUse {
    MonthlyUse {
        charged,
        refunded: 0,
    }
}

/// Hydrates an unknown key with so many charged requests in the limiter's month.
pub(crate) async fn hydrate(
    limiter: &RedisLimiter,
    key: CountedKey,
    state: KeyState,
    charged: u64,
) {
    let Verdict::Unknown { month } = limiter.admit(key).await.unwrap() else {
        panic!("the key is known already");
    };
    let snapshot = Snapshot {
        state,
        month,
        used: used(charged),
    };
    limiter.hydrate(key, snapshot).await.unwrap();
}

pub(crate) fn is_admitted(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Admitted { .. })
}

/// Returns what is left of the minute of a known key.
pub(crate) async fn left_of(limiter: &RedisLimiter, key: CountedKey) -> u32 {
    limiter.peek(key).await.unwrap().unwrap().minute.remaining
}

/// Returns what is used of the quota of a known key.
pub(crate) async fn used_of(limiter: &RedisLimiter, key: CountedKey) -> u64 {
    let limit_status = limiter.peek(key).await.unwrap().unwrap();
    limit_status.month.unwrap().used
}

/// Sends so many requests and counts the admissions.
pub(crate) async fn admitted_of(limiter: &RedisLimiter, key: CountedKey, attempts: usize) -> usize {
    let mut admitted = 0;
    for _ in 0..attempts {
        admitted += usize::from(is_admitted(&limiter.admit(key).await.unwrap()));
    }
    admitted
}

/// Retries until the server is reachable again.
pub(crate) async fn admit_after_recovery(limiter: &RedisLimiter, key: CountedKey) -> Verdict {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
    loop {
        match limiter.admit(key).await {
            Ok(verdict) => return verdict,
            Err(error) if tokio::time::Instant::now() > deadline => panic!("still: {error}"),
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// The server's clock with an offset set by the test.
pub(crate) struct OffsetClock {
    url: String,
    pub(crate) shift: Arc<AtomicI64>,
}

impl OffsetClock {
    /// Creates a clock that shows `start` now.
    pub(crate) fn at(url: String, start: &str) -> Self {
        let time = Self {
            url,
            shift: Arc::default(),
        };
        let start: DateTime<Utc> = start.parse().unwrap();
        let shift = start.timestamp_millis() - time.show().timestamp_millis();
        time.shift.store(shift, Ordering::SeqCst);
        time
    }

    pub(crate) fn show(&self) -> DateTime<Utc> {
        let client = redis::Client::open(self.url.as_str()).unwrap();
        let mut connection = client.get_connection().unwrap();
        let (seconds, micros): (i64, i64) = redis::cmd("TIME").query(&mut connection).unwrap();
        let ms = seconds * 1_000 + micros / 1_000 + self.shift.load(Ordering::SeqCst);
        DateTime::from_timestamp_millis(ms).unwrap()
    }

    pub(crate) fn move_by(&self, ms: i64) {
        self.shift.fetch_add(ms, Ordering::SeqCst);
    }
}

#[async_trait]
impl TestTime for OffsetClock {
    async fn advance(&self, by: Duration) {
        self.move_by(i64::try_from(by.as_millis()).unwrap());
    }

    async fn now(&self) -> DateTime<Utc> {
        self.show()
    }
}

/// Runs the limiter on the test's runtime: the suite calls it from threads of its own.
pub(crate) struct OnRuntime {
    pub(crate) limiter: Arc<RedisLimiter>,
    pub(crate) runtime: Handle,
}

impl OnRuntime {
    async fn run<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
        &self,
        ask: impl FnOnce(Arc<RedisLimiter>) -> F,
    ) -> T {
        let asked = ask(Arc::clone(&self.limiter));
        self.runtime.spawn(asked).await.unwrap()
    }
}

#[async_trait]
impl Limiter for OnRuntime {
    async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        self.run(|limiter| async move { limiter.admit(key).await })
            .await
    }

    async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError> {
        let keys = keys.to_vec();
        self.run(|limiter| async move { limiter.peek_many(&keys).await })
            .await
    }

    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError> {
        self.run(|limiter| async move { limiter.hydrate(key, snapshot).await })
            .await
    }

    async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError> {
        self.run(|limiter| async move { limiter.apply(key, state).await })
            .await
    }

    async fn forget(&self, key: CountedKey) -> Result<(), LimiterError> {
        self.run(|limiter| async move { limiter.forget(key).await })
            .await
    }

    async fn refund(
        &self,
        key: CountedKey,
        month: Month,
        request: Uuid,
    ) -> Result<(), LimiterError> {
        self.run(|limiter| async move { limiter.refund(key, month, request).await })
            .await
    }
}
