//! When the portal may be asked next. Pure: time comes in as what a monotonic clock shows.

use std::collections::VecDeque;
use std::time::Duration;

use ports::outbound::ThrottleReason;

use super::PacingConfig;
use super::back_off::{BackOff, Strike};

/// The span over which the portal's budget is counted.
const MINUTE: Duration = Duration::from_mins(1);
/// Cycles in quick succession from idle. The portal was seen to want a captcha at the fifth within
/// about 3 s (2022 and 2025).
const BURST: u32 = 3;

/// Somebody who waits for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket(u64);

/// A turn that was taken: one cycle of the portal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(super) began: Duration,
}

/// The portal may not be asked for so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Throttled {
    pub(crate) retry_after: Duration,
    pub(crate) reason: ThrottleReason,
}

impl Throttled {
    fn backing_off(retry_after: Duration) -> Self {
        Self {
            retry_after,
            reason: ThrottleReason::BackingOff,
        }
    }
}

/// What a waiting caller does next.
#[derive(Debug)]
pub(super) enum Step {
    /// Ask the portal, now.
    Go(Turn),
    /// Look again when anything has changed, or at this time.
    Wait(Option<Duration>),
    /// Give up: a back-off began.
    Leave(Throttled),
}

/// Who asks when: in order, within the budget, never during a back-off.
#[derive(Debug)]
pub(super) struct Schedule {
    pace: Pace,
    waiting: VecDeque<Ticket>,
    tickets: u64,
    back_off: BackOff,
}

impl Schedule {
    pub(super) fn new(config: PacingConfig) -> Self {
        Self {
            pace: Pace::new(config.cycles_per_minute.get()),
            waiting: VecDeque::new(),
            tickets: 0,
            back_off: BackOff::default(),
        }
    }

    /// Queues a caller who can wait until `latest`. Refuses whoever's turn would come later; a turn
    /// that is promised only ever moves ahead.
    pub(super) fn queue(&mut self, now: Duration, latest: Duration) -> Result<Ticket, Throttled> {
        if let Some(retry_after) = self.back_off.remaining(now) {
            return Err(Throttled::backing_off(retry_after));
        }
        let turn = self.pace.turn_behind(self.waiting.len(), now);
        if turn > latest {
            return Err(Throttled {
                retry_after: turn.saturating_sub(now),
                reason: ThrottleReason::BudgetUsedUp,
            });
        }
        let ticket = Ticket(self.tickets);
        self.tickets += 1;
        self.waiting.push_back(ticket);
        Ok(ticket)
    }

    /// What the caller with this ticket does now. The first in the queue takes its turn here.
    pub(super) fn step(&mut self, ticket: Ticket, now: Duration) -> Step {
        if !self.waiting.contains(&ticket) {
            let retry_after = self.back_off.remaining(now).unwrap_or_default();
            return Step::Leave(Throttled::backing_off(retry_after));
        }
        if self.waiting.front() != Some(&ticket) {
            return Step::Wait(None);
        }
        let turn = self.pace.turn_behind(0, now);
        if turn > now {
            return Step::Wait(Some(turn));
        }
        self.waiting.pop_front();
        self.pace.take(now);
        Step::Go(Turn { began: now })
    }

    /// A caller goes away; whether it was still waiting. Those behind move up.
    pub(super) fn leave(&mut self, ticket: Ticket) -> bool {
        let place = self.waiting.iter().position(|waiting| *waiting == ticket);
        place.is_some_and(|place| self.waiting.remove(place).is_some())
    }

    /// The portal wanted a captcha or fewer queries: everybody leaves. Returns the time that is
    /// left of the back-off.
    pub(super) fn limited(&mut self, turn: Turn, now: Duration) -> Strike {
        self.waiting.clear();
        self.back_off.strike(turn.began, now)
    }

    /// What is left of the budget: turns that the last minute has room for beside those who wait,
    /// and the time that is left of a back-off.
    pub(super) fn left(&self, now: Duration) -> (usize, Option<Duration>) {
        let room = self.pace.room(now).saturating_sub(self.waiting.len());
        (room, self.back_off.remaining(now))
    }

    /// The portal answered a whole cycle.
    pub(super) fn served(&mut self, turn: Turn) {
        self.back_off.forgive(turn.began);
    }
}

/// The budget: a burst from idle, then evenly spaced, and never more than the minute's count in
/// any minute (which even spacing after a burst alone would exceed).
#[derive(Debug)]
struct Pace {
    spacing: Duration,
    tolerance: Duration,
    per_minute: usize,
    /// When evenly spaced turns would have begun (the theoretical arrival time of GCRA).
    even: Duration,
    /// The turns of the minute up to the newest one, oldest first; never more than `per_minute`.
    begun: VecDeque<Duration>,
}

impl Pace {
    fn new(per_minute: u32) -> Self {
        let spacing = MINUTE / per_minute;
        Self {
            spacing,
            tolerance: spacing * (BURST.min(per_minute) - 1),
            per_minute: usize::try_from(per_minute).unwrap_or(usize::MAX),
            even: Duration::ZERO,
            begun: VecDeque::new(),
        }
    }

    /// The first time from `now` on at which a turn may begin, behind so many others that take
    /// theirs as soon as they may.
    fn turn_behind(&self, others: usize, now: Duration) -> Duration {
        let mut even = self.even;
        let mut theirs = Vec::with_capacity(others);
        loop {
            // A turn waits for the end of the minute that began `per_minute` turns before it.
            let before = self.begun.len() + theirs.len();
            let full = before.checked_sub(self.per_minute).map(|oldest| {
                let theirs = || theirs[oldest - self.begun.len()];
                self.begun.get(oldest).copied().unwrap_or_else(theirs) + MINUTE
            });
            let turn = now
                .max(even.saturating_sub(self.tolerance))
                .max(full.unwrap_or_default());
            if theirs.len() == others {
                return turn;
            }
            theirs.push(turn);
            even = even.max(turn) + self.spacing;
        }
    }

    /// Turns that the minute up to now has room for.
    fn room(&self, now: Duration) -> usize {
        let old = self.begun.iter().take_while(|turn| **turn + MINUTE <= now);
        let begun = self.begun.len() - old.count();
        self.per_minute.saturating_sub(begun)
    }

    fn take(&mut self, at: Duration) {
        self.even = self.even.max(at) + self.spacing;
        while self.begun.front().is_some_and(|turn| *turn + MINUTE <= at) {
            self.begun.pop_front();
        }
        self.begun.push_back(at);
    }
}

#[cfg(test)]
mod tests;
