//! What the shared limiter has to be told before it may count again.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::key::KeyId;
use domain::month::Month;

/// Keys that are remembered, at most: as many as the gatekeeper remembers credentials of, a few
/// megabytes. With more of them nothing is lost but time: some are read from the store more than
/// once.
const MOST_KEYS: usize = 100_000;
/// For so long after the shared limiter failed every key is told to it again:
/// it may have lost keys or missed revocations, and what other processes counted on their own is in
/// the store by then. The watch over changed keys tells it within a second or two.
pub(super) const SETTLING: Duration = Duration::from_mins(1);

/// Time from one round to the next, at least: where one server of several is lost calls fail all the
/// time, and the others' keys need not be told with each. What was missed is told by then.
const ROUND: Duration = Duration::from_secs(1);

/// Which keys the shared limiter has to be told of.
///
/// Each key is, once in the life of a process, before it is counted there: nobody may have told it of
/// a change that was made before this process began to follow them. That costs the first request of
/// a key one reading of the store, and no change has to be told again to a limiter that went on
/// while no process ran.
#[derive(Debug, Default)]
pub(super) struct ResyncTracker {
    /// Keys of which it missed something, and when that was last.
    missed: HashMap<KeyId, Turn>,
    /// What was missed so far, counted.
    turn: Turn,
    everybody: Everybody,
    /// Keys that were told, and in which round.
    told: HashMap<KeyId, Round>,
    round: Round,
    /// When the next round may begin, on the monotonic clock.
    next_round: Duration,
    /// Something was missed that this round doesn't tell.
    is_behind: bool,
    /// The newest month seen: an older one never comes back.
    month: Option<Month>,
}

/// Between two of these every key is told at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Round(u64);

/// Whether every key owes, though it was told in an earlier round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Everybody {
    #[default]
    No,
    Until(Duration),
    /// Until it is known when it ends.
    Yes,
}

/// The place of something missed in the order of all that was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Turn(u64);

/// What a key owed when it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Debt(Option<Turn>);

impl ResyncTracker {
    /// The month that a request of `now` is charged to.
    pub(super) fn month(&mut self, now: DateTime<Utc>) -> Month {
        let month = Month::of(now);
        let newest = self.month.map_or(month, |newest| newest.max(month));
        if self.month != Some(newest) {
            // A month that is over limits nobody any more.
            self.missed = HashMap::new();
            self.month = Some(newest);
        }
        newest
    }

    /// The shared limiter missed something of a key.
    pub(super) fn owe(&mut self, key: KeyId) {
        if self.missed.len() >= MOST_KEYS && !self.missed.contains_key(&key) {
            self.told.remove(&key);
            return;
        }
        self.turn.0 += 1;
        self.missed.insert(key, self.turn);
    }

    /// What a key owes; `None` when it owes nothing.
    pub(super) fn of(&mut self, key: KeyId, now: Duration) -> Option<Debt> {
        if let Everybody::Until(end) = self.everybody
            && end <= now
        {
            self.everybody = Everybody::No;
        }
        if self.is_behind && self.next_round <= now {
            self.begin_round(now);
        }
        let missed = self.missed.get(&key).copied();
        let is_told = match self.told.get(&key) {
            None => false,
            Some(round) => self.everybody == Everybody::No || *round == self.round,
        };
        (missed.is_some() || !is_told).then_some(Debt(missed))
    }

    /// A key was told to the shared limiter with this debt. What was missed meanwhile stays owed.
    pub(super) fn settle(&mut self, key: KeyId, debt: Debt) {
        if self.missed.get(&key).copied() != debt.0 {
            return;
        }
        self.missed.remove(&key);
        let round = self.round;
        *self.place_of(key) = round;
    }

    /// A key that the shared limiter didn't know was told to it by this process.
    pub(super) fn introduce(&mut self, key: KeyId) {
        // Read maybe before the round began.
        self.place_of(key);
    }

    /// When a key was told; the round before all others if it never was.
    fn place_of(&mut self, key: KeyId) -> &mut Round {
        if self.told.len() >= MOST_KEYS && !self.told.contains_key(&key) {
            self.told.clear();
        }
        self.told.entry(key).or_default()
    }

    /// Whoever was told to the shared limiter is to be told again.
    fn begin_round(&mut self, now: Duration) {
        self.round.0 += 1;
        self.next_round = now + ROUND;
        self.is_behind = false;
    }

    /// The shared limiter is left alone.
    pub(super) fn begin_outage(&mut self, now: Duration) {
        self.everybody = Everybody::Yes;
        self.begin_round(now);
    }

    /// The shared limiter works again.
    pub(super) fn end_outage(&mut self, now: Duration) {
        self.everybody = Everybody::Until(now + SETTLING);
    }

    /// The shared limiter missed a change of a key, and maybe others: every key owes for a while.
    pub(super) fn miss(&mut self, now: Duration) {
        if self.everybody != Everybody::Yes {
            self.everybody = Everybody::Until(now + SETTLING);
        }
        if self.next_round <= now {
            self.begin_round(now);
        } else {
            self.is_behind = true;
        }
    }

    /// The store can't be read, so the watch over changed keys sees nothing either: while every key
    /// owes, it goes on owing for as long as it may take.
    pub(super) fn prolong(&mut self, now: Duration) {
        if let Everybody::Until(end) = &mut self.everybody {
            *end = now + SETTLING;
        }
    }
}

#[cfg(test)]
mod tests;
