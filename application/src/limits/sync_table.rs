//! Table of the keys that the shared limiter has in sync with the store. Every other key is stale, and is
//! resynchronised before the shared limiter decides about it.
//!
//! | from | to | when |
//! |---|---|---|
//! | – | stale | this process starts: the shared limiter may have missed earlier changes |
//! | stale | synced | the store is read, and its snapshot is merged into the shared limiter |
//! | stale | synced | the shared limiter was hydrated with a key that it didn't know, and nothing was missed yet |
//! | stale | synced | the shared limiter refuses the key as revoked, which is permanent |
//! | synced | stale | a call fails: the shared limiter may have lost all keys, or missed changes of them |
//! | synced | stale | a charge or refund of its counters is in the store alone |
//! | synced | stale | the [`Reconciliation`](crate::Reconciliation) finds that the last verdict differs from the store |

use std::collections::HashMap;
use std::time::Duration;

use domain::keys::{CountedKey, CounterId};
use domain::limits::LimitStatus;
use domain::month::Month;
use ports::outbound::{Snapshot, Verdict};

/// Maximum number of keys and of counters in the table, a few megabytes, the same as that of cached
/// credentials. With more, keys are read from the store more than once.
const MOST_KEYS: usize = 100_000;
/// Shortest time after which failures make all keys stale again. If one of several servers is lost, calls
/// fail continuously, and keys on the other servers need not be resynchronised after every failure. No longer
/// than the circuit's first cool-down, so that an outage makes all keys stale before its first probe.
const ROUND: Duration = Duration::from_secs(1);

/// Sequence number of an event that made keys stale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark(u64);

/// The keys in sync, and the events since which they have to be.
#[derive(Debug, Default)]
pub(super) struct SyncTable {
    keys: HashMap<CountedKey, Synced>,
    /// Counters of which the shared limiter missed something, with the latest of these events. Counters and not
    /// keys, because keys that share counters share charges.
    missed: HashMap<CounterId, Mark>,
    /// The latest event that concerned all keys.
    all_missed_at: Mark,
    latest: Mark,
    /// Earliest time at which a failure makes all keys stale again.
    next_round: Duration,
    /// `true` after a failure before that time.
    is_behind: bool,
}

/// A key in sync.
#[derive(Clone, Copy, Debug)]
struct Synced {
    /// The latest event before the store was read.
    as_of: Mark,
    /// The last verdict since the reconciliation compared one.
    view: Option<LimiterView>,
}

/// The shared limiter's limits and counts of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LimiterView {
    pub(super) month: Month,
    per_minute: u32,
    /// The quota and its used part; `None` without a quota.
    quota: Option<(u64, u64)>,
}

impl SyncTable {
    /// Returns the mark to pass to [`Self::synced`] after a resynchronisation, if the key is stale.
    pub(super) fn stale(&mut self, key: CountedKey, now: Duration) -> Option<Mark> {
        if self.is_behind && self.next_round <= now {
            self.begin_round(now);
        }
        let missed = self.missed.get(&key.counters).copied();
        let since = self.all_missed_at.max(missed.unwrap_or_default());
        let as_of = self.keys.get(&key).map(|synced| synced.as_of);
        as_of
            .is_none_or(|as_of| as_of < since)
            .then_some(self.latest)
    }

    /// Records that the shared limiter has the store's state of a key, which was read after `as_of`.
    pub(super) fn synced(&mut self, key: CountedKey, as_of: Mark) {
        if self.keys.len() >= MOST_KEYS && !self.keys.contains_key(&key) {
            self.keys.clear();
        }
        let synced = self.keys.entry(key).or_insert(Synced { as_of, view: None });
        synced.as_of = synced.as_of.max(as_of);
    }

    /// Records that a key was hydrated that the shared limiter didn't know. The key is in sync only if
    /// nothing has been missed yet, because its snapshot may have been read before that.
    pub(super) fn hydrated(&mut self, key: CountedKey) {
        self.synced(key, Mark::default());
    }

    /// Records a verdict of the shared limiter.
    pub(super) fn decided(&mut self, key: CountedKey, verdict: &Verdict) {
        match verdict {
            Verdict::Admitted {
                limit_status,
                month,
                ..
            } => self.viewed(key, *month, limit_status),
            Verdict::QuotaExceeded {
                limit_status,
                month,
            } => self.viewed(key, month.month(), limit_status),
            Verdict::Revoked => self.synced(key, self.latest),
            // A key is refused because of its minute after verdicts with a month in that minute.
            Verdict::RateLimited { .. } | Verdict::Unknown { .. } => {}
        }
    }

    fn viewed(&mut self, key: CountedKey, month: Month, limit_status: &LimitStatus) {
        if let Some(synced) = self.keys.get_mut(&key) {
            synced.view = Some(LimiterView {
                month,
                per_minute: limit_status.minute.limit,
                quota: limit_status.month.map(|month| (month.limit, month.used)),
            });
        }
    }

    /// Makes all keys stale, at once or at the end of the round, after a failure of the shared limiter.
    pub(super) fn all_missed(&mut self, now: Duration) {
        if self.next_round <= now {
            self.begin_round(now);
        } else {
            self.is_behind = true;
        }
    }

    fn begin_round(&mut self, now: Duration) {
        self.all_missed_at = self.next_mark();
        self.next_round = now + ROUND;
        self.is_behind = false;
    }

    /// Makes the keys of some counters stale: a charge or refund is in the store alone, or a verdict differed
    /// from the store.
    pub(super) fn missed(&mut self, counters: CounterId) {
        let mark = self.next_mark();
        if self.missed.len() >= MOST_KEYS && !self.missed.contains_key(&counters) {
            self.missed.clear();
            self.all_missed_at = mark;
        }
        self.missed.insert(counters, mark);
    }

    fn next_mark(&mut self) -> Mark {
        self.latest.0 += 1;
        self.latest
    }

    /// Returns the keys with verdicts that weren't compared with the store.
    pub(super) fn views(&self) -> HashMap<CountedKey, LimiterView> {
        let views = self.keys.iter();
        let views = views.filter_map(|(key, synced)| synced.view.map(|view| (*key, view)));
        views.collect()
    }

    /// Records that these verdicts were compared with the store.
    pub(super) fn compared(&mut self, views: &HashMap<CountedKey, LimiterView>) {
        for (key, view) in views {
            if let Some(synced) = self.keys.get_mut(key) {
                synced.view = synced.view.filter(|newer| newer != view);
            }
        }
    }
}

impl LimiterView {
    /// Returns `true` if the store's snapshot has the same values. The use is only compared if there is a
    /// quota.
    pub(super) fn agrees_with(&self, snapshot: &Snapshot) -> bool {
        let Snapshot { state, month, used } = snapshot;
        let used = |quota| (quota, used.net());
        !state.revoked
            && self.month == *month
            && self.per_minute == state.limits.per_minute()
            && self.quota == state.limits.monthly_quota().map(used)
    }
}

#[cfg(test)]
mod tests;
