//! Shard of the limiter: counters shared by rotated keys, and the states of these keys.

use std::collections::{HashMap, VecDeque};

use chrono::{DateTime, Utc};
use domain::keys::{CountedKey, CounterId, KeyId};
use domain::month::Month;
use ports::outbound::{KeyState, Snapshot};
use uuid::Uuid;

use super::counters::{Counters, has_begun};

/// Time for which a change is kept: longer than a hydration can take whose snapshot was read before
/// the change.
const CHANGES_KEPT_MS: u64 = 3_600_000;
/// Maximum number of changes kept per shard; the oldest are dropped first.
const MOST_CHANGES: usize = 2_048;

#[derive(Default)]
pub(super) struct Shard {
    counters: HashMap<CounterId, Counters>,
    keys: HashMap<KeyId, KnownState>,
    /// Keys that were changed, with the time until which each change is kept; oldest first.
    changes: VecDeque<(KeyId, u64)>,
}

/// The newest state of a key.
struct KnownState {
    state: KeyState,
    counters: CounterId,
    /// Time until which the state is kept even if the counters are evicted or unknown: a snapshot from
    /// before a revocation may still arrive. Zero for a state that is known only from a snapshot.
    kept_until_ms: u64,
}

impl KnownState {
    /// Merges a state: an older version changes nothing, and a revocation is final.
    fn merge(&mut self, state: KeyState) {
        let revoked = self.state.revoked || state.revoked;
        if state.version > self.state.version {
            self.state = state;
        }
        self.state.revoked = revoked;
    }
}

impl Shard {
    /// State and counters of a key; `None` if they aren't both known.
    pub(super) fn known(&mut self, key: CountedKey) -> Option<(KeyState, &mut Counters)> {
        let state = self.keys.get(&key.id)?.state;
        let counters = self.counters.get_mut(&key.counters)?;
        counters.is_known().then_some((state, counters))
    }

    pub(super) fn hydrate(
        &mut self,
        key: CountedKey,
        snapshot: &Snapshot,
        now: DateTime<Utc>,
        now_ms: u64,
    ) {
        if let Some(counters) = self.counters.get_mut(&key.counters) {
            counters.merge(snapshot, now);
        } else if has_begun(snapshot.month, now) {
            self.counters.insert(key.counters, Counters::new(snapshot));
        } else {
            self.apply(key, snapshot.state, now_ms);
            return;
        }
        self.merge(key, snapshot.state);
    }

    /// Merges a state, and keeps it for a while even if the key is unknown.
    pub(super) fn apply(&mut self, key: CountedKey, state: KeyState, now_ms: u64) {
        let kept_until_ms = now_ms.saturating_add(CHANGES_KEPT_MS);
        self.merge(key, state).kept_until_ms = kept_until_ms;
        self.changes.push_back((key.id, kept_until_ms));
        if self.changes.len() > MOST_CHANGES {
            self.drop_oldest_change();
        }
    }

    fn merge(&mut self, key: CountedKey, state: KeyState) -> &mut KnownState {
        let known = self.keys.entry(key.id).or_insert(KnownState {
            state,
            counters: key.counters,
            kept_until_ms: 0,
        });
        known.merge(state);
        known
    }

    fn drop_oldest_change(&mut self) {
        let Some((key, kept_until_ms)) = self.changes.pop_front() else {
            return;
        };
        // A newer change may have arrived since.
        let is_latest = |known: &&mut KnownState| known.kept_until_ms == kept_until_ms;
        let Some(known) = self.keys.get_mut(&key).filter(is_latest) else {
            return;
        };
        known.kept_until_ms = 0;
        if !self.counters.contains_key(&known.counters) {
            self.keys.remove(&key);
        }
    }

    pub(super) fn forget(&mut self, counters: CounterId) {
        if let Some(counters) = self.counters.get_mut(&counters) {
            counters.forget();
        }
    }

    pub(super) fn refund(&mut self, counters: CounterId, month: Month, request: Uuid) {
        if let Some(counters) = self.counters.get_mut(&counters) {
            counters.refund(month, request);
        }
    }

    /// Evicts idle counters, and the states of their keys once no change of them has to be kept.
    pub(super) fn forget_idle(&mut self, now_ms: u64) -> usize {
        let before = self.counters.len();
        self.counters
            .retain(|_, counters| !counters.is_idle(now_ms));
        self.counters.shrink_to_fit();
        while self
            .changes
            .front()
            .is_some_and(|(_, kept_until_ms)| *kept_until_ms <= now_ms)
        {
            self.changes.pop_front();
        }
        self.changes.shrink_to_fit();
        let counters = &self.counters;
        self.keys.retain(|_, known| {
            known.kept_until_ms > now_ms || counters.contains_key(&known.counters)
        });
        self.keys.shrink_to_fit();
        before - self.counters.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::limits::{Limits, MonthlyUse};

    fn state(version: u64) -> KeyState {
        KeyState {
            revoked: false,
            limits: Limits::new(60, None).unwrap(),
            version,
        }
    }

    fn key(number: usize) -> CountedKey {
        CountedKey::first(KeyId(Uuid::from_u128(number as u128)))
    }

    #[test]
    fn changes_of_unknown_keys_are_bounded_and_the_newest_stay() {
        let mut shard = Shard::default();
        for number in 0..MOST_CHANGES + 10 {
            shard.apply(key(number), state(1), 0);
        }
        assert_eq!(shard.keys.len(), MOST_CHANGES);
        assert!(shard.keys.contains_key(&key(10).id));
        assert!(!shard.keys.contains_key(&key(9).id));
    }

    #[test]
    fn one_key_that_changes_all_the_time_takes_one_place() {
        let mut shard = Shard::default();
        for version in 0..5_000 {
            shard.apply(key(1), state(version), version);
        }
        assert_eq!(shard.keys.len(), 1);
        assert_eq!(shard.keys[&key(1).id].state.version, 4_999);
        assert_eq!(shard.changes.len(), MOST_CHANGES);
    }

    #[test]
    fn a_change_outlives_the_counters_for_an_hour() {
        let mut shard = Shard::default();
        let now = DateTime::UNIX_EPOCH;
        let snapshot = Snapshot {
            state: state(1),
            month: Month::of(now),
            used: MonthlyUse::default(),
        };
        shard.hydrate(key(1), &snapshot, now, 0);
        shard.hydrate(key(2), &snapshot, now, 0);
        shard.apply(key(1), state(2), 0);
        assert_eq!(shard.forget_idle(CHANGES_KEPT_MS - 1), 2);
        assert_eq!(shard.keys.len(), 1);
        assert!(shard.known(key(1)).is_none());
        assert_eq!(shard.forget_idle(CHANGES_KEPT_MS), 0);
        assert!(shard.keys.is_empty() && shard.changes.is_empty());
    }
}
