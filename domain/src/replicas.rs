//! Number of replicas, among which each keeps a share of every limit while nothing shared counts.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::window;

/// Time between two heartbeats of a replica.
pub const BEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Time after its latest heartbeat for which a replica counts: three beats may be late.
pub const BEAT_LIFETIME: Duration = Duration::from_secs(15);

/// Time for which a larger number is kept after it was last counted: what a replica that is gone
/// admitted since is in the window of its keys for so long.
const KEPT: Duration = window::SPAN.saturating_add(BEAT_INTERVAL);

/// Estimate of the number of replicas: the largest number counted lately. One that joins makes the
/// shares of the others smaller at once; one that leaves makes them larger a minute later.
#[derive(Clone, Debug, Default)]
pub struct ReplicaEstimate {
    /// Numbers with the time at which each was counted last; every one is larger than those after
    /// it.
    counted: VecDeque<(NonZeroU32, Duration)>,
}

impl ReplicaEstimate {
    /// Takes the number counted at `now`, on a monotonic clock, and returns the estimate.
    pub fn record(&mut self, count: NonZeroU32, now: Duration) -> NonZeroU32 {
        while self.counted.back().is_some_and(|(last, _)| *last <= count) {
            self.counted.pop_back();
        }
        self.counted.push_back((count, now));
        while self.counted.len() > 1
            && self
                .counted
                .front()
                .is_some_and(|(_, at)| *at + KEPT <= now)
        {
            self.counted.pop_front();
        }
        self.counted.front().map_or(count, |(largest, _)| *largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_largest_number_of_the_last_minute(
            counts in prop::collection::vec((1_u32..9, 0_u64..40), 1..60),
        ) {
            let mut estimate = ReplicaEstimate::default();
            let mut seen = Vec::new();
            let mut now = Duration::ZERO;
            for (count, pause) in counts {
                now += Duration::from_secs(pause);
                seen.push((count, now));
                let recent = seen.iter().filter(|(_, at)| *at + KEPT > now);
                let largest = recent.map(|(count, _)| *count).max();
                let told = estimate.record(NonZeroU32::new(count).unwrap(), now);
                prop_assert_eq!(Some(told.get()), largest);
            }
        }
    }
}
