//! Who asks when.

use std::collections::VecDeque;
use std::time::Duration;

use super::back_off::{BackOff, BackOffState};
use super::pace::Pace;
use super::{Pacing, Throttled};

/// Somebody who waits for a turn; who came earlier is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// What a waiting caller does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Ask the bank, now: the turn is taken.
    Go,
    /// It is the first in the queue, and its turn comes at this time: look again then, or when
    /// anything has changed.
    Wait(Duration),
    /// Others are before it, and its turn comes at this time if they all take theirs: look again
    /// when anything has changed.
    Behind(Duration),
    /// Give up: there is no turn any more, or not in time.
    Leave(Throttled),
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    ticket: Ticket,
    latest: Duration,
}

/// Who asks when: in order, within the budget, never during a back-off.
#[derive(Debug)]
pub struct Schedule {
    pace: Pace,
    waiting: VecDeque<Waiting>,
    tickets: u64,
    back_off: BackOffState,
}

impl Schedule {
    /// A schedule of a bank that nobody has asked yet.
    pub fn new(pacing: Pacing) -> Self {
        Self {
            pace: Pace::new(pacing),
            waiting: VecDeque::new(),
            tickets: 0,
            back_off: BackOffState::default(),
        }
    }

    /// Queues a caller who can wait until `latest`. A turn that is promised so moves ahead when
    /// others leave; it moves back only when turns are [learnt of](Self::merge_acquisition).
    ///
    /// # Errors
    /// A [`Throttled`] when the turn would come later than that, or not at all for now.
    pub fn queue(&mut self, now: Duration, latest: Duration) -> Result<Ticket, Throttled> {
        if let Some(retry_after) = self.back_off.remaining(now) {
            return Err(Throttled::BackingOff { retry_after });
        }
        let turn = self.pace.turn_behind(self.waiting.len(), now);
        if turn > latest {
            return Err(too_late(turn, now));
        }
        let ticket = Ticket(self.tickets);
        self.tickets += 1;
        self.waiting.push_back(Waiting { ticket, latest });
        Ok(ticket)
    }

    /// What the caller with this ticket does now. The first in the queue takes its turn here.
    pub fn step(&mut self, ticket: Ticket, now: Duration) -> Step {
        let Some(place) = self.place_of(ticket) else {
            let retry_after = self.back_off.remaining(now).unwrap_or_default();
            return Step::Leave(Throttled::BackingOff { retry_after });
        };
        let turn = self.pace.turn_behind(place, now);
        if turn > self.waiting[place].latest.max(now) {
            self.waiting.remove(place);
            return Step::Leave(too_late(turn, now));
        }
        if place > 0 {
            return Step::Behind(turn);
        }
        if turn > now {
            return Step::Wait(turn);
        }
        self.waiting.pop_front();
        self.pace.count(now, now);
        Step::Go
    }

    /// A caller goes away; whether it was still waiting. Those behind move up.
    pub fn leave(&mut self, ticket: Ticket) -> bool {
        let place = self.place_of(ticket);
        place.is_some_and(|place| self.waiting.remove(place).is_some())
    }

    /// The bank wanted a captcha or fewer questions in a cycle whose turn came so long ago:
    /// everybody leaves.
    pub fn record_throttled(&mut self, under_way: Duration, now: Duration) -> BackOff {
        self.waiting.clear();
        self.back_off.strike(now.saturating_sub(under_way), now)
    }

    /// The bank answered a whole cycle whose turn came so long ago.
    pub fn record_success(&mut self, under_way: Duration, now: Duration) {
        self.back_off.forgive(now.saturating_sub(under_way));
    }

    /// Counts a turn that another schedule of the same bank gave so long ago.
    pub fn merge_acquisition(&mut self, ago: Duration, now: Duration) {
        self.pace.count(now.saturating_sub(ago), now);
    }

    /// So much is left of a back-off that another schedule of the same bank keeps. A longer one
    /// that is known stays; otherwise everybody leaves.
    pub fn merge_back_off(&mut self, left: Duration, now: Duration) {
        if self.back_off.merge(left, now) {
            self.waiting.clear();
        }
    }

    /// Turns that the last minute has room for beside those who wait.
    pub fn room(&self, now: Duration) -> u32 {
        let room = self.pace.room(now).saturating_sub(self.waiting.len());
        u32::try_from(room).unwrap_or(u32::MAX)
    }

    /// The time that is left of a back-off.
    pub fn paused_for(&self, now: Duration) -> Option<Duration> {
        self.back_off.remaining(now)
    }

    fn place_of(&self, ticket: Ticket) -> Option<usize> {
        let found = self.waiting.binary_search_by_key(&ticket, |it| it.ticket);
        found.ok()
    }
}

fn too_late(turn: Duration, now: Duration) -> Throttled {
    Throttled::BudgetUsedUp {
        retry_after: turn.saturating_sub(now),
    }
}

#[cfg(test)]
mod tests;
