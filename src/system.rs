//! The machine's own clock and randomness.

use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound, Utc};
use ports::outbound::{Clock, Random};

/// The machine's clocks.
pub(crate) struct SystemClock {
    started: Instant,
}

impl SystemClock {
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is where time comes in")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(3)
    }

    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }
}

/// The operating system's randomness.
pub(crate) struct SystemRandom;

impl Random for SystemRandom {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is where randomness comes in"
    )]
    fn fill(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("a machine without randomness can't keep secrets");
    }
}
