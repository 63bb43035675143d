//! Rate limit of log lines about transitions, so that a circuit that flaps fills no log.

use std::time::Duration;

/// Lines that are written at once; each makes room for another after an interval.
const BURST: u32 = 4;
const INTERVAL: Duration = Duration::from_secs(10);

/// Transitions that weren't logged yet, and how many more lines may be written.
#[derive(Debug)]
pub(super) struct TransitionLog {
    pending: u32,
    tokens: u32,
    refilled_at: Duration,
}

impl Default for TransitionLog {
    fn default() -> Self {
        Self {
            pending: 0,
            tokens: BURST,
            refilled_at: Duration::ZERO,
        }
    }
}

impl TransitionLog {
    /// Adds a transition.
    pub(super) fn add(&mut self) {
        self.pending += 1;
    }

    /// Takes the transitions that are to be logged now, as one line; `None` when there is nothing
    /// to log, or no line may be written yet.
    pub(super) fn take(&mut self, now: Duration) -> Option<u32> {
        if self.pending == 0 {
            return None;
        }
        let intervals = now.saturating_sub(self.refilled_at).as_secs() / INTERVAL.as_secs();
        if intervals > 0 {
            let refill = u32::try_from(intervals).unwrap_or(u32::MAX);
            self.tokens = self.tokens.saturating_add(refill).min(BURST);
            self.refilled_at = now;
        }
        self.tokens = self.tokens.checked_sub(1)?;
        Some(std::mem::take(&mut self.pending))
    }
}
