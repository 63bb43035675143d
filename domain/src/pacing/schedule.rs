//! Queue of callers for turns at the bank.

use std::collections::VecDeque;
use std::time::Duration;

use super::back_off::{BackOff, BackOffState};
use super::pace::Pace;
use super::{Pacing, Throttled};

/// Position of a waiting caller; earlier callers have smaller ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WaiterId(u64);

/// Next action of a waiting caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Query the bank now: the turn is taken.
    Go,
    /// First in the queue; its turn comes at this time: check again then, or after any change.
    Wait(Duration),
    /// Others are ahead; its turn comes at this time if they all take theirs: check again after any
    /// change.
    Behind(Duration),
    /// Give up: there is no turn any more, or not in time.
    Leave(Throttled),
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    ticket: WaiterId,
    latest: Duration,
}

/// Turns at the bank: in order, within the budget, never during a back-off.
#[derive(Debug)]
pub struct Schedule {
    pace: Pace,
    waiting: VecDeque<Waiting>,
    tickets: u64,
    back_off: BackOffState,
}

impl Schedule {
    /// An idle schedule.
    pub fn new(pacing: Pacing) -> Self {
        Self {
            pace: Pace::new(pacing),
            waiting: VecDeque::new(),
            tickets: 0,
            back_off: BackOffState::default(),
        }
    }

    /// Queues a caller with the deadline `latest`. Its turn moves ahead when others leave; it moves
    /// back only when turns of other schedules are [merged](Self::merge_acquisition).
    ///
    /// # Errors
    /// A [`Throttled`] when the turn would come after the deadline, or during a back-off.
    pub fn queue(&mut self, now: Duration, latest: Duration) -> Result<WaiterId, Throttled> {
        if let Some(retry_after) = self.back_off.remaining(now) {
            return Err(Throttled::BackingOff { retry_after });
        }
        let turn = self.pace.turn_behind(self.waiting.len(), now);
        if turn > latest {
            return Err(too_late(turn, now));
        }
        let ticket = WaiterId(self.tickets);
        self.tickets += 1;
        self.waiting.push_back(Waiting { ticket, latest });
        Ok(ticket)
    }

    /// The next action of a waiting caller. The first in the queue takes its turn here.
    pub fn step(&mut self, ticket: WaiterId, now: Duration) -> Step {
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

    /// Removes a caller; returns `true` if it was still waiting. Later callers move up.
    pub fn leave(&mut self, ticket: WaiterId) -> bool {
        let place = self.place_of(ticket);
        place.is_some_and(|place| self.waiting.remove(place).is_some())
    }

    /// Records a cycle, begun `under_way` ago, that the bank answered with a captcha or a limit
    /// page: all callers leave.
    pub fn record_throttled(&mut self, under_way: Duration, now: Duration) -> BackOff {
        self.waiting.clear();
        self.back_off
            .record_throttled(now.saturating_sub(under_way), now)
    }

    /// Records a complete cycle, begun `under_way` ago.
    pub fn record_success(&mut self, under_way: Duration, now: Duration) {
        self.back_off.record_success(now.saturating_sub(under_way));
    }

    /// Counts a turn that another schedule of the same bank gave `ago`.
    pub fn merge_acquisition(&mut self, ago: Duration, now: Duration) {
        self.pace.count(now.saturating_sub(ago), now);
    }

    /// Merges a back-off of another schedule of the same bank. A longer one that is known stays;
    /// otherwise all callers leave.
    pub fn merge_back_off(&mut self, left: Duration, now: Duration) {
        if self.back_off.merge(left, now) {
            self.waiting.clear();
        }
    }

    /// Turns left in the last minute after those of waiting callers.
    pub fn room(&self, now: Duration) -> u32 {
        let room = self.pace.room(now).saturating_sub(self.waiting.len());
        u32::try_from(room).unwrap_or(u32::MAX)
    }

    /// The time left of a back-off.
    pub fn paused_for(&self, now: Duration) -> Option<Duration> {
        self.back_off.remaining(now)
    }

    fn place_of(&self, ticket: WaiterId) -> Option<usize> {
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
