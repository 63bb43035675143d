//! Computes the earliest time of the next turn within the budget.

use std::collections::VecDeque;
use std::time::Duration;

use super::{Pacing, QUICK_CYCLES, WINDOW};

const QUICK: usize = QUICK_CYCLES as usize;

/// GCRA (generic cell rate algorithm) with two sliding windows: a burst after an idle period, then even
/// spacing. The windows ensure that there are never more turns than the budget in any minute, nor a
/// fifth turn in quick succession, which GCRA alone would allow after a burst.
#[derive(Debug)]
pub(super) struct Pace {
    pacing: Pacing,
    /// GCRA's theoretical arrival time.
    even: Duration,
    /// Start times of the turns in the last window, oldest first.
    begun: VecDeque<Duration>,
}

impl Pace {
    pub(super) fn new(pacing: Pacing) -> Self {
        Self {
            pacing,
            even: Duration::ZERO,
            begun: VecDeque::new(),
        }
    }

    pub(super) fn pacing(&self) -> Pacing {
        self.pacing
    }

    /// Changes the budget. Turns that have begun count against the new one.
    pub(super) fn set_pacing(&mut self, pacing: Pacing) {
        self.pacing = pacing;
    }

    /// The earliest time, not before `now`, of a turn after `others` that begin as early as possible.
    pub(super) fn turn_behind(&self, others: usize, now: Duration) -> Duration {
        let (spacing, tolerance) = (self.pacing.spacing(), self.pacing.tolerance());
        let quick_window = self.pacing.quick_window();
        let mut even = self.even;
        let mut theirs = Vec::with_capacity(others);
        loop {
            // End of the window that the turn `turns` places earlier began.
            let before = self.begun.len() + theirs.len();
            let earlier = |turns: usize, window| {
                let place = before.checked_sub(turns)?;
                let theirs = || theirs[place - self.begun.len()];
                Some(self.begun.get(place).copied().unwrap_or_else(theirs) + window)
            };
            let turn = now
                .max(even.saturating_sub(tolerance))
                .max(earlier(self.per_minute(), WINDOW).unwrap_or_default())
                .max(earlier(QUICK, quick_window).unwrap_or_default());
            if theirs.len() == others {
                return turn;
            }
            theirs.push(turn);
            even = even.max(turn) + spacing;
        }
    }

    /// Turns left in the window up to `now`.
    pub(super) fn room(&self, now: Duration) -> usize {
        let old = self.begun.iter().take_while(|turn| **turn + WINDOW <= now);
        let begun = self.begun.len() - old.count();
        self.per_minute().saturating_sub(begun)
    }

    fn per_minute(&self) -> usize {
        usize::try_from(self.pacing.per_minute()).unwrap_or(usize::MAX)
    }

    /// Counts a turn that began at `at`, even if it exceeds the budget.
    pub(super) fn count(&mut self, at: Duration, now: Duration) {
        self.even = self.even.max(at) + self.pacing.spacing();
        while self.begun.front().is_some_and(|turn| *turn + WINDOW <= now) {
            self.begun.pop_front();
        }
        let place = self.begun.partition_point(|turn| *turn <= at);
        self.begun.insert(place, at);
    }

    /// Number of turns in memory.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.begun.len()
    }
}
