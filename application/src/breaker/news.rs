//! What is said of changes, so that one that flaps fills no log.

use std::time::Duration;

/// Changes that are said at once; each that was said makes room for another after a while.
const AT_ONCE: u32 = 4;
const AGAIN: Duration = Duration::from_secs(10);

/// Changes, and how many more may be said.
#[derive(Debug)]
pub(super) struct Changes {
    unsaid: u32,
    room: u32,
    /// When there was room made last.
    since: Duration,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            unsaid: 0,
            room: AT_ONCE,
            since: Duration::ZERO,
        }
    }
}

impl Changes {
    /// One more.
    pub(super) fn add(&mut self) {
        self.unsaid += 1;
    }

    /// How many are said now, together; `None` while nothing is.
    pub(super) fn take(&mut self, now: Duration) -> Option<u32> {
        if self.unsaid == 0 {
            return None;
        }
        let waited = now.saturating_sub(self.since).as_secs() / AGAIN.as_secs();
        if waited > 0 {
            let more = u32::try_from(waited).unwrap_or(u32::MAX);
            self.room = self.room.saturating_add(more).min(AT_ONCE);
            self.since = now;
        }
        self.room = self.room.checked_sub(1)?;
        Some(std::mem::take(&mut self.unsaid))
    }
}
