//! Rate limiter of a single process: exact, a fraction of a microsecond per admission.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::key::KeyId;
use domain::limits::{LimitStatus, MonthStatus, MonthlyUse};
use domain::month::Month;
use domain::window::SlidingWindow;
use ports::outbound::{Charge, Clock, KeyState, Limiter, LimiterError, Snapshot, Verdict};
use uuid::Uuid;

/// Shards of the map: enough that two cores seldom contend for one.
const SHARDS: usize = 64;
/// Refunded requests remembered per key, so that a repeated refund changes nothing.
const REFUNDS_REMEMBERED: usize = 256;

/// Rate limiter that counts in this process. The minute runs on the monotonic clock, the month on
/// the wall clock, and forward only.
pub struct InProcessLimiter {
    clock: Arc<dyn Clock>,
    hasher: RandomState,
    shards: Vec<Mutex<HashMap<KeyId, Counters>>>,
}

impl InProcessLimiter {
    /// A limiter that knows no key yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            hasher: RandomState::new(),
            shards: std::iter::repeat_with(Mutex::default)
                .take(SHARDS)
                .collect(),
        }
    }

    /// Evicts the keys that weren't used in the last minute, and returns their number. They are
    /// hydrated from the store when they are used again.
    pub fn forget_idle(&self) -> usize {
        let now_ms = self.now_ms();
        let forget = |shard: &Mutex<HashMap<KeyId, Counters>>| {
            let mut shard = lock(shard);
            let before = shard.len();
            shard.retain(|_, counters| !counters.window.is_empty(now_ms));
            shard.shrink_to_fit();
            before - shard.len()
        };
        self.shards.iter().map(forget).sum()
    }

    fn shard(&self, key: KeyId) -> MutexGuard<'_, HashMap<KeyId, Counters>> {
        let hash = self.hasher.hash_one(key);
        let place = usize::try_from(hash % SHARDS as u64).unwrap_or_default();
        lock(&self.shards[place])
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.monotonic().as_millis()).unwrap_or(u64::MAX)
    }
}

fn lock(shard: &Mutex<HashMap<KeyId, Counters>>) -> MutexGuard<'_, HashMap<KeyId, Counters>> {
    shard.lock().expect("nothing panics while it holds a shard")
}

#[async_trait]
impl Limiter for InProcessLimiter {
    async fn admit(&self, key: KeyId) -> Result<Verdict, LimiterError> {
        let (now, now_ms) = (self.clock.now(), self.now_ms());
        Ok(match self.shard(key).get_mut(&key) {
            Some(counters) if counters.is_known => counters.admit(now, now_ms),
            Some(_) | None => Verdict::Unknown {
                month: Month::of(now),
            },
        })
    }

    async fn peek(&self, key: KeyId) -> Result<Option<LimitStatus>, LimiterError> {
        let (now, now_ms) = (self.clock.now(), self.now_ms());
        let mut shard = self.shard(key);
        let counters = shard.get_mut(&key);
        Ok(counters.and_then(|counters| counters.peek(now, now_ms)))
    }

    async fn hydrate(&self, key: KeyId, snapshot: Snapshot) -> Result<(), LimiterError> {
        let now = self.clock.now();
        let mut shard = self.shard(key);
        if let Some(counters) = shard.get_mut(&key) {
            counters.merge(snapshot, now);
        } else if has_begun(snapshot.month, now) {
            shard.insert(key, Counters::new(snapshot));
        }
        Ok(())
    }

    async fn apply(&self, key: KeyId, state: KeyState) -> Result<(), LimiterError> {
        if let Some(counters) = self.shard(key).get_mut(&key) {
            counters.apply(state);
        }
        Ok(())
    }

    async fn forget(&self, key: KeyId) -> Result<(), LimiterError> {
        if let Some(counters) = self.shard(key).get_mut(&key) {
            counters.is_known = false;
        }
        Ok(())
    }

    async fn refund(&self, key: KeyId, month: Month, request: Uuid) -> Result<(), LimiterError> {
        if let Some(counters) = self.shard(key).get_mut(&key) {
            counters.refund(month, request);
        }
        Ok(())
    }
}

/// Returns whether the month of a snapshot has begun here: its source may have a clock that is
/// ahead.
fn has_begun(month: Month, now: DateTime<Utc>) -> bool {
    month <= Month::of(now)
}

/// Counters of one key.
struct Counters {
    /// `false` once the key is forgotten: its month isn't known. The rest is kept, so that a key
    /// that is forgotten and hydrated doesn't get a second minute.
    is_known: bool,
    state: KeyState,
    window: SlidingWindow,
    month: Month,
    used: MonthlyUse,
    refunds: VecDeque<Uuid>,
}

impl Counters {
    fn new(snapshot: Snapshot) -> Self {
        Self {
            is_known: true,
            state: snapshot.state,
            window: SlidingWindow::default(),
            month: snapshot.month,
            used: snapshot.used,
            refunds: VecDeque::new(),
        }
    }

    fn admit(&mut self, now: DateTime<Utc>, now_ms: u64) -> Verdict {
        if self.state.revoked {
            return Verdict::Revoked;
        }
        (self.month, self.used) = self.month_of(now);
        let limits = self.state.limits;
        if let Err(full) = self.window.check(now_ms, limits.per_minute()) {
            let limit_status = self.limit_status(now, now_ms);
            return Verdict::RateLimited {
                limit_status,
                retry_after: full.retry_after,
            };
        }
        if limits
            .monthly_quota()
            .is_some_and(|quota| self.used.net() >= quota)
        {
            let limit_status = self.limit_status(now, now_ms);
            let month = limit_status
                .month
                .expect("a quota is used up, so there is one");
            return Verdict::QuotaExceeded {
                limit_status,
                month,
            };
        }
        self.window.count(now_ms, limits.per_minute());
        self.used.charged += 1;
        Verdict::Admitted {
            limit_status: self.limit_status(now, now_ms),
            month: self.month,
            charge: Charge::Unwritten,
        }
    }

    /// The limit status, if the key is known. Begins no month: only an admission does.
    fn peek(&mut self, now: DateTime<Utc>, now_ms: u64) -> Option<LimitStatus> {
        (self.is_known && !self.state.revoked).then(|| self.limit_status(now, now_ms))
    }

    fn limit_status(&mut self, now: DateTime<Utc>, now_ms: u64) -> LimitStatus {
        let limits = self.state.limits;
        let (month, used) = self.month_of(now);
        let month = limits
            .monthly_quota()
            .map(|quota| MonthStatus::new(month, quota, used.net(), now));
        LimitStatus {
            minute: self.window.limit_status(now_ms, limits.per_minute()),
            month,
        }
    }

    fn merge(&mut self, snapshot: Snapshot, now: DateTime<Utc>) {
        self.apply(snapshot.state);
        if has_begun(snapshot.month, now) {
            self.restore(snapshot.month);
            self.roll_to(snapshot.month);
        }
        if snapshot.month == self.month {
            self.used = self.used.merge(snapshot.used);
        }
    }

    fn apply(&mut self, state: KeyState) {
        let revoked = self.state.revoked || state.revoked;
        if state.version > self.state.version {
            self.state = state;
        }
        self.state.revoked = revoked;
    }

    fn refund(&mut self, month: Month, request: Uuid) {
        if !self.is_known || month != self.month || self.refunds.contains(&request) {
            return;
        }
        self.used.refunded += 1;
        self.refunds.push_back(request);
        if self.refunds.len() > REFUNDS_REMEMBERED {
            self.refunds.pop_front();
        }
    }

    /// The month that a request of `now` is charged to, and its use: the clock may have entered a
    /// new month since the last admission.
    fn month_of(&self, now: DateTime<Utc>) -> (Month, MonthlyUse) {
        let month = Month::of(now);
        if month > self.month {
            (month, MonthlyUse::default())
        } else {
            (self.month, self.used)
        }
    }

    /// Takes the month of the snapshot that hydrates a forgotten key.
    fn restore(&mut self, month: Month) {
        if !self.is_known {
            (self.is_known, self.month, self.used) = (true, month, MonthlyUse::default());
        }
    }

    /// Begins a new month; never returns to an older one.
    fn roll_to(&mut self, month: Month) {
        if month > self.month {
            self.month = month;
            self.used = MonthlyUse::default();
        }
    }
}
