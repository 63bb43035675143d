//! Rate limit of log lines about transitions, for a circuit that opens and closes frequently.

use std::time::Duration;

/// Maximum number of log lines at once; one more is permitted per interval.
const BURST: u32 = 4;
const INTERVAL: Duration = Duration::from_secs(10);

/// Number of unlogged transitions, and of permitted log lines.
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
    /// Counts a transition.
    pub(super) fn add(&mut self) {
        self.pending += 1;
    }

    /// Number of transitions to log now in one line; `None` if there are none, or no line is permitted yet.
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
