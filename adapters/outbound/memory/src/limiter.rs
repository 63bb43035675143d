//! Rate limiter of a single process: exact, a fraction of a microsecond per admission.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use domain::keys::{CountedKey, CounterId};
use domain::limits::LimitStatus;
use domain::month::Month;
use ports::outbound::{Clock, KeyState, Limiter, LimiterError, Snapshot, Verdict};
use uuid::Uuid;

use shard::Shard;

mod counters;
mod shard;

/// Shards of the map: enough that two cores seldom contend for one.
const SHARDS: usize = 64;

/// Rate limiter that counts in this process. Minutes are measured by the monotonic clock; months by
/// the wall clock, and they only move forward.
pub struct InProcessLimiter {
    clock: Arc<dyn Clock>,
    hasher: RandomState,
    shards: Vec<Mutex<Shard>>,
}

impl InProcessLimiter {
    /// Creates a limiter that knows no key yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            hasher: RandomState::new(),
            shards: std::iter::repeat_with(Mutex::default)
                .take(SHARDS)
                .collect(),
        }
    }

    /// Evicts the counters that weren't used in the last minute, and returns their number. Their
    /// keys are hydrated from the store when they are used again.
    pub fn forget_idle(&self) -> usize {
        let now_ms = self.now_ms();
        let forget = |shard: &Mutex<Shard>| lock(shard).forget_idle(now_ms);
        self.shards.iter().map(forget).sum()
    }

    /// The shard of some counters, and of all keys that share them.
    fn shard(&self, counters: CounterId) -> MutexGuard<'_, Shard> {
        let hash = self.hasher.hash_one(counters);
        let place = usize::try_from(hash % SHARDS as u64).unwrap_or_default();
        lock(&self.shards[place])
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.monotonic().as_millis()).unwrap_or(u64::MAX)
    }
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().expect("nothing panics while it holds a shard")
}

#[async_trait]
impl Limiter for InProcessLimiter {
    async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        let (now, now_ms) = (self.clock.now(), self.now_ms());
        let mut shard = self.shard(key.counters);
        Ok(match shard.known(key) {
            None => Verdict::Unknown {
                month: Month::of(now),
            },
            Some((state, _)) if state.revoked => Verdict::Revoked,
            Some((state, counters)) => counters.admit(state.limits, now, now_ms),
        })
    }

    async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError> {
        let (now, now_ms) = (self.clock.now(), self.now_ms());
        // One shard at a time: a page of keys must not delay the admissions of all others.
        let peek = |key: &CountedKey| {
            let mut shard = self.shard(key.counters);
            let (state, counters) = shard.known(*key)?;
            (!state.revoked).then(|| counters.limit_status(state.limits, now, now_ms))
        };
        Ok(keys.iter().map(peek).collect())
    }

    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError> {
        let (now, now_ms) = (self.clock.now(), self.now_ms());
        self.shard(key.counters)
            .hydrate(key, &snapshot, now, now_ms);
        Ok(())
    }

    async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError> {
        let now_ms = self.now_ms();
        self.shard(key.counters).apply(key, state, now_ms);
        Ok(())
    }

    async fn forget(&self, key: CountedKey) -> Result<(), LimiterError> {
        self.shard(key.counters).forget(key.counters);
        Ok(())
    }

    async fn refund(
        &self,
        key: CountedKey,
        month: Month,
        request: Uuid,
    ) -> Result<(), LimiterError> {
        self.shard(key.counters)
            .refund(key.counters, month, request);
        Ok(())
    }
}
