//! What the shared limiter has to be told before it may count again.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::key::KeyId;
use domain::month::Month;

/// Keys that are remembered, at most: as many as the gatekeeper remembers credentials of, a few
/// megabytes. With more of them nothing is lost but time: until the month ends, every key is read
/// from the store, some of them more than once.
const MOST_KEYS: usize = 100_000;
/// For so long after the shared limiter failed every key is told to it before it is counted there:
/// it may have lost keys or missed revocations, and what other processes counted on their own is in
/// the store by then. The watch over changed keys tells it within a second or two.
pub(super) const SETTLING: Duration = Duration::from_mins(1);

/// Which keys the shared limiter has to be told of.
#[derive(Debug, Default)]
pub(super) struct Debts {
    /// Keys of which it missed something, and when that was last.
    missed: HashMap<KeyId, Turn>,
    /// What was missed so far, counted.
    turn: Turn,
    /// More keys were missed than are remembered, so that any key may be one of them.
    is_overfull: bool,
    everybody: Everybody,
    /// Keys that were told while everybody owes.
    settled: HashSet<KeyId>,
    /// The newest month seen: an older one never comes back.
    month: Option<Month>,
}

/// Whether every key owes.
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

impl Debts {
    /// The month that a request of `now` is charged to.
    pub(super) fn month(&mut self, now: DateTime<Utc>) -> Month {
        let month = Month::of(now);
        let newest = self.month.map_or(month, |newest| newest.max(month));
        if self.month != Some(newest) {
            // A month that is over limits nobody any more.
            self.missed = HashMap::new();
            self.is_overfull = false;
            self.month = Some(newest);
        }
        newest
    }

    /// The shared limiter missed something of a key.
    pub(super) fn owe(&mut self, key: KeyId) {
        self.settled.remove(&key);
        if self.missed.len() >= MOST_KEYS && !self.missed.contains_key(&key) {
            self.is_overfull = true;
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
        let everybody = self.is_overfull || self.everybody != Everybody::No;
        if !everybody && !self.settled.is_empty() {
            self.settled = HashSet::new();
        }
        let missed = self.missed.get(&key).copied();
        let owes = missed.is_some() || (everybody && !self.settled.contains(&key));
        owes.then_some(Debt(missed))
    }

    /// A key was told to the shared limiter with this debt. What was missed meanwhile stays owed.
    pub(super) fn settle(&mut self, key: KeyId, debt: Debt) {
        if self.missed.get(&key).copied() != debt.0 {
            return;
        }
        self.missed.remove(&key);
        if self.settled.len() >= MOST_KEYS {
            self.settled.clear();
        }
        self.settled.insert(key);
    }

    /// The shared limiter is left alone: whoever was told to it is to be told again.
    pub(super) fn begin_outage(&mut self) {
        self.everybody = Everybody::Yes;
        self.settled.clear();
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
        self.settled.clear();
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
