//! Queue of requests that wait for their turn to query the bank.

use std::collections::HashMap;
use std::time::Duration;

use super::back_off::{BackOff, BackOffState};
use super::lane::{Lane, LookupClass, MAX_WAITING_PER_KEY, QueueLength};
use super::order::TurnOrder;
use super::pace::Pace;
use super::{Pacing, Throttled};

/// Id of a waiting caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WaiterId(u64);

/// The action that a waiting caller takes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Query the bank now: the turn is taken.
    Go,
    /// First in the queue; its turn comes at this time. Call [`Schedule::step`] again then, or after
    /// any change.
    Wait(Duration),
    /// Others are ahead. Call [`Schedule::step`] again when the caller is [first](Schedule::next), or
    /// at this time, its deadline.
    Behind(Duration),
    /// Give up: there will be no turn before the deadline.
    Leave(Throttled),
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    lane: Lane,
    latest: Duration,
}

/// Assigns turns to query the bank: fairly, within the budget, and never during a back-off.
#[derive(Debug)]
pub struct Schedule {
    pace: Pace,
    order: TurnOrder<WaiterId>,
    waiting: HashMap<WaiterId, Waiting>,
    newest: u64,
    back_off: BackOffState,
}

impl Schedule {
    /// A schedule without waiting callers.
    pub fn new(pacing: Pacing) -> Self {
        Self {
            pace: Pace::new(pacing),
            order: TurnOrder::default(),
            waiting: HashMap::new(),
            newest: 0,
            back_off: BackOffState::default(),
        }
    }

    /// The current budget.
    pub fn pacing(&self) -> Pacing {
        self.pace.pacing()
    }

    /// Changes the budget. Turns that have begun count against the new one; waiting callers stay in the
    /// queue.
    pub fn set_pacing(&mut self, pacing: Pacing) {
        self.pace.set_pacing(pacing);
    }

    /// Queues a caller with the deadline `latest`. Its turn becomes earlier when others leave, and
    /// later when callers of other lanes arrive or turns of other schedules are
    /// [merged](Self::merge_acquisition).
    ///
    /// # Errors
    /// A [`Throttled`] if the turn would come after the deadline, during a back-off, or if too many
    /// callers of the lane are waiting.
    pub fn queue(
        &mut self,
        lane: Lane,
        now: Duration,
        latest: Duration,
    ) -> Result<WaiterId, Throttled> {
        if let Some(retry_after) = self.back_off.remaining(now) {
            return Err(Throttled::BackingOff { retry_after });
        }
        let place = self.order.lane_len(lane);
        let turn = self.turn(lane, place, now);
        if lane.class == LookupClass::Interactive && place >= MAX_WAITING_PER_KEY {
            let retry_after = turn.saturating_sub(now);
            return Err(Throttled::QueueFull { retry_after });
        }
        if turn > latest {
            return Err(too_late(turn, now));
        }
        self.newest += 1;
        let id = WaiterId(self.newest);
        self.order.push(lane, id);
        self.waiting.insert(id, Waiting { lane, latest });
        Ok(id)
    }

    /// The next action of a waiting caller. If its turn has come, this takes the turn.
    pub fn step(&mut self, id: WaiterId, now: Duration) -> Step {
        let Some(Waiting { lane, latest }) = self.waiting.get(&id).copied() else {
            let retry_after = self.back_off.remaining(now).unwrap_or_default();
            return Step::Leave(Throttled::BackingOff { retry_after });
        };
        let is_next = self.next() == Some(id);
        if !is_next && now < latest {
            return Step::Behind(latest);
        }
        let place = self.order.place(lane, &id).unwrap_or_default();
        let turn = self.turn(lane, place, now);
        if !is_next || turn > latest.max(now) {
            self.leave(id);
            return Step::Leave(too_late(turn, now));
        }
        if turn > now {
            return Step::Wait(turn);
        }
        self.order.pop();
        self.waiting.remove(&id);
        self.pace.count(now, now);
        Step::Go
    }

    /// The first caller in the queue.
    pub fn next(&self) -> Option<WaiterId> {
        self.order.next().copied()
    }

    /// Removes a caller; returns `true` if it was still waiting.
    pub fn leave(&mut self, id: WaiterId) -> bool {
        let waiting = self.waiting.remove(&id);
        waiting.is_some_and(|waiting| self.order.remove(waiting.lane, &id).is_some())
    }

    /// Records that the bank answered a cycle, begun `under_way` ago, with a captcha or limit page. All
    /// callers are removed.
    pub fn record_throttled(&mut self, under_way: Duration, now: Duration) -> BackOff {
        self.clear();
        self.back_off
            .record_throttled(now.saturating_sub(under_way), now)
    }

    /// Records a successful cycle, begun `under_way` ago.
    pub fn record_success(&mut self, under_way: Duration, now: Duration) {
        self.back_off.record_success(now.saturating_sub(under_way));
    }

    /// Counts a turn that another schedule for the same bank granted `ago`.
    pub fn merge_acquisition(&mut self, ago: Duration, now: Duration) {
        self.pace.count(now.saturating_sub(ago), now);
    }

    /// Merges a back-off of another schedule for the same bank. If it is longer than the known one, all
    /// callers are removed.
    pub fn merge_back_off(&mut self, left: Duration, now: Duration) {
        if self.back_off.merge(left, now) {
            self.clear();
        }
    }

    /// Turns left in the current window after those of the waiting callers.
    pub fn room(&self, now: Duration) -> u32 {
        let room = self.pace.room(now).saturating_sub(self.waiting.len());
        u32::try_from(room).unwrap_or(u32::MAX)
    }

    /// Time left of the back-off; `None` without one.
    pub fn paused_for(&self, now: Duration) -> Option<Duration> {
        self.back_off.remaining(now)
    }

    /// Number of waiting callers.
    pub fn waiting(&self) -> QueueLength {
        self.order.len()
    }

    /// Time of the turn at a position in a lane, if all others take theirs as early as possible.
    fn turn(&self, lane: Lane, place: usize, now: Duration) -> Duration {
        let others = self.order.turns_before(lane, place);
        self.pace.turn_behind(others, now)
    }

    fn clear(&mut self) {
        self.order = TurnOrder::default();
        self.waiting.clear();
    }
}

fn too_late(turn: Duration, now: Duration) -> Throttled {
    Throttled::BudgetUsedUp {
        retry_after: turn.saturating_sub(now),
    }
}

#[cfg(test)]
mod tests;
