//! Resynchronisation of the shared limiter with the store: the keys whose state there is stale.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::key::{CountedKey, CounterId, KeyId};
use domain::month::Month;

/// Keys that are tracked, at most: as many as the gatekeeper caches credentials of, a few megabytes.
/// With more of them nothing is lost but time: some are read from the store more than once.
const MOST_KEYS: usize = 100_000;
/// Time after a failure of the shared limiter in which every key is stale: it may have lost keys or
/// missed revocations, and what other processes counted on their own is in the store by then. The
/// change feed applies changed keys within a second or two.
const SETTLING: Duration = Duration::from_mins(1);

/// Shortest time from one round to the next: where one server of several is lost calls fail all the
/// time, and the others' keys need not be resynchronised with each. What was missed is by then.
const ROUND: Duration = Duration::from_secs(1);

/// Keys whose state in the shared limiter is stale.
///
/// Each key is stale until it was resynchronised once in the life of a process: the shared limiter
/// may have missed a change that was made before this process began to follow them. That costs the
/// first request of a key one reading of the store, and no change has to be applied again to a
/// limiter that went on while no process ran.
#[derive(Debug, Default)]
pub(super) struct ResyncTracker {
    /// Counters that were marked stale, with the sequence number of the latest mark: what one key
    /// was admitted counts for all that share them.
    stale: HashMap<CounterId, Sequence>,
    /// The latest mark of all.
    latest: Sequence,
    all_stale: AllStale,
    /// Keys that were resynchronised, with the round of it.
    synced: HashMap<KeyId, Round>,
    round: Round,
    /// Earliest start of the next round, on the monotonic clock.
    next_round: Duration,
    /// Something was missed that this round doesn't cover.
    is_behind: bool,
    /// The newest month seen: an older one never comes back.
    month: Option<Month>,
}

/// Between two of these every key is resynchronised at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Round(u64);

/// Staleness of every key that was resynchronised in an earlier round only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AllStale {
    #[default]
    No,
    Until(Duration),
    /// Until the outage ends.
    Indefinitely,
}

/// The place of a mark in the order of all marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sequence(u64);

/// The staleness of a key at the time of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Staleness(Option<Sequence>);

impl ResyncTracker {
    /// The month that a request of `now` is charged to.
    pub(super) fn month(&mut self, now: DateTime<Utc>) -> Month {
        let month = Month::of(now);
        let newest = self.month.map_or(month, |newest| newest.max(month));
        if self.month != Some(newest) {
            // A month that is over limits nobody any more.
            self.stale = HashMap::new();
            self.month = Some(newest);
        }
        newest
    }

    /// Marks a key as stale: the shared limiter missed something of it.
    pub(super) fn mark_stale(&mut self, key: CountedKey) {
        if self.stale.len() >= MOST_KEYS && !self.stale.contains_key(&key.counters) {
            self.synced.remove(&key.id);
            return;
        }
        self.latest.0 += 1;
        self.stale.insert(key.counters, self.latest);
    }

    /// The staleness of a key; `None` when it is in sync.
    pub(super) fn staleness(&mut self, key: CountedKey, now: Duration) -> Option<Staleness> {
        if let AllStale::Until(end) = self.all_stale
            && end <= now
        {
            self.all_stale = AllStale::No;
        }
        if self.is_behind && self.next_round <= now {
            self.begin_round(now);
        }
        let marked = self.stale.get(&key.counters).copied();
        let is_synced = match self.synced.get(&key.id) {
            None => false,
            Some(round) => self.all_stale == AllStale::No || *round == self.round,
        };
        (marked.is_some() || !is_synced).then_some(Staleness(marked))
    }

    /// Clears the staleness that a key had before it was resynchronised. A mark that was made
    /// meanwhile stays.
    pub(super) fn clear(&mut self, key: CountedKey, staleness: Staleness) {
        if self.stale.get(&key.counters).copied() != staleness.0 {
            return;
        }
        self.stale.remove(&key.counters);
        let round = self.round;
        *self.synced_in(key) = round;
    }

    /// Marks a key as hydrated by this process: the shared limiter didn't know it before.
    pub(super) fn mark_synced(&mut self, key: CountedKey) {
        // Its snapshot may have been read before the round began.
        self.synced_in(key);
    }

    /// The round in which a key was resynchronised; the one before all others if it never was.
    fn synced_in(&mut self, key: CountedKey) -> &mut Round {
        if self.synced.len() >= MOST_KEYS && !self.synced.contains_key(&key.id) {
            self.synced.clear();
        }
        self.synced.entry(key.id).or_default()
    }

    /// Begins a round, in which every key is resynchronised again.
    fn begin_round(&mut self, now: Duration) {
        self.round.0 += 1;
        self.next_round = now + ROUND;
        self.is_behind = false;
    }

    /// Marks every key as stale until the outage of the shared limiter has ended.
    pub(super) fn begin_outage(&mut self, now: Duration) {
        self.all_stale = AllStale::Indefinitely;
        self.begin_round(now);
    }

    /// Ends the outage: every key is stale for a while yet.
    pub(super) fn end_outage(&mut self, now: Duration) {
        self.all_stale = AllStale::Until(now + SETTLING);
    }

    /// Marks every key as stale for a while: the shared limiter missed a change of a key, and maybe
    /// others.
    pub(super) fn mark_all_stale(&mut self, now: Duration) {
        if self.all_stale != AllStale::Indefinitely {
            self.all_stale = AllStale::Until(now + SETTLING);
        }
        if self.next_round <= now {
            self.begin_round(now);
        } else {
            self.is_behind = true;
        }
    }

    /// Extends the time in which every key is stale, if there is one: the store can't be read, so the
    /// change feed sees nothing either.
    pub(super) fn extend(&mut self, now: Duration) {
        if let AllStale::Until(end) = &mut self.all_stale {
            *end = now + SETTLING;
        }
    }
}

#[cfg(test)]
mod tests;
