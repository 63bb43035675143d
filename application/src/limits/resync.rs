//! Tracking of keys whose state in the shared limiter may be stale.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::keys::{CountedKey, CounterId, KeyId};
use domain::month::Month;

/// Maximum number of tracked keys, a few megabytes, the same as that of cached credentials. With more keys,
/// some are read from the store more than once.
const MOST_KEYS: usize = 100_000;
/// Time after a failure of the shared limiter during which all keys count as stale: it may have lost keys or
/// missed revocations. After this time, counts of other processes' local fallbacks are in the store, and the
/// change feed, which takes a second or two, has applied changed keys.
const SETTLING: Duration = Duration::from_mins(1);

/// Shortest time between the starts of two rounds. If one of several servers is lost, calls fail
/// continuously, and keys on the other servers need not be resynchronised after every failure.
const ROUND: Duration = Duration::from_secs(1);

/// Keys whose state in the shared limiter may be stale.
///
/// Each key is stale until this process has resynchronised it once, because the shared limiter may have
/// missed changes from before the process followed them. This costs one read of the store with a key's first
/// request, and makes it unnecessary to reapply changes to a limiter that kept running while no process did.
#[derive(Debug, Default)]
pub(super) struct ResyncTracker {
    /// Counters that were marked stale, with the sequence number of the latest mark. Counters and not keys,
    /// because keys that share counters share charges.
    stale: HashMap<CounterId, Sequence>,
    /// The latest sequence number.
    latest: Sequence,
    all_stale: AllStale,
    /// Keys that were resynchronised, with the number of the round.
    synced: HashMap<KeyId, Round>,
    round: Round,
    /// Earliest start of the next round, in monotonic time.
    next_round: Duration,
    /// `true` if something was missed after the current round began, so that another one is needed.
    is_behind: bool,
    /// The newest month seen. An older one is never used again.
    month: Option<Month>,
}

/// Number of a round. In one round, every key is resynchronised at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Round(u64);

/// Period in which all keys that weren't resynchronised in the current round are stale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AllStale {
    #[default]
    No,
    Until(Duration),
    /// Until the outage ends.
    Indefinitely,
}

/// Sequence number of a mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sequence(u64);

/// Mark of a stale key at the time of the check; `None` if it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Staleness(Option<Sequence>);

impl ResyncTracker {
    /// The month that a request at `now` is charged to.
    pub(super) fn month(&mut self, now: DateTime<Utc>) -> Month {
        let month = Month::of(now);
        let newest = self.month.map_or(month, |newest| newest.max(month));
        if self.month != Some(newest) {
            // Charges of past months have no effect any more.
            self.stale = HashMap::new();
            self.month = Some(newest);
        }
        newest
    }

    /// Marks a key as stale because the shared limiter missed a change or charge of it.
    pub(super) fn mark_stale(&mut self, key: CountedKey) {
        if self.stale.len() >= MOST_KEYS && !self.stale.contains_key(&key.counters) {
            self.synced.remove(&key.id);
            return;
        }
        self.latest.0 += 1;
        self.stale.insert(key.counters, self.latest);
    }

    /// Staleness of a key; `None` if it is in sync.
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

    /// Clears a key's staleness after its resynchronisation, unless it was marked again in the meantime.
    pub(super) fn clear(&mut self, key: CountedKey, staleness: Staleness) {
        if self.stale.get(&key.counters).copied() != staleness.0 {
            return;
        }
        self.stale.remove(&key.counters);
        let round = self.round;
        *self.synced_in(key) = round;
    }

    /// Records that this process hydrated a key that the shared limiter didn't know.
    pub(super) fn mark_synced(&mut self, key: CountedKey) {
        // Doesn't count for the current round, since the snapshot may have been read before it began.
        self.synced_in(key);
    }

    /// The round in which a key was last resynchronised; round 0 if it never was.
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

    /// Marks all keys as stale until the outage of the shared limiter ends.
    pub(super) fn begin_outage(&mut self, now: Duration) {
        self.all_stale = AllStale::Indefinitely;
        self.begin_round(now);
    }

    /// Ends the outage; all keys remain stale for a while.
    pub(super) fn end_outage(&mut self, now: Duration) {
        self.all_stale = AllStale::Until(now + SETTLING);
    }

    /// Marks all keys as stale for a while, because the shared limiter missed a change of a key, and maybe
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

    /// Extends the time in which all keys are stale, if any, because the store can't be read and so the
    /// change feed doesn't get changes either.
    pub(super) fn extend(&mut self, now: Duration) {
        if let AllStale::Until(end) = &mut self.all_stale {
            *end = now + SETTLING;
        }
    }
}

#[cfg(test)]
mod tests;
