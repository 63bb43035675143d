//! Rate limit on log lines about failed sign-ins, which anybody can cause.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::limits::rate::{Bucket, Rate};

/// Rate of log lines: a burst of 20, then one every 3 s.
const LINES: Rate = Rate {
    burst: 20,
    interval: Duration::from_secs(3),
};

/// Counts failed sign-ins, and decides which ones are logged.
#[derive(Clone, Default)]
pub(crate) struct FailureLog(Arc<Counted>);

#[derive(Default)]
struct Counted {
    lines: Mutex<Bucket>,
    untold: AtomicU64,
}

impl FailureLog {
    /// Counts a failure. If it is to be logged, returns the number of failures skipped since the last log
    /// line.
    pub(crate) fn count(&self, now: Duration) -> Option<u64> {
        let mut lines = self
            .0
            .lines
            .lock()
            .expect("nothing panics while it holds it");
        if lines.take(LINES, now).is_err() {
            self.0.untold.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        Some(self.0.untold.swap(0, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_failures_has_few_lines_and_the_next_one_counts_the_others() {
        let log = FailureLog::default();
        let told = |now| {
            (0..1_000)
                .filter_map(|_| log.count(now))
                .collect::<Vec<_>>()
        };
        assert_eq!(told(Duration::ZERO), [0; 20]);
        assert_eq!(told(Duration::from_secs(3)), [980]);
        assert_eq!(told(Duration::from_mins(10))[..2], [999, 0]);
    }
}
