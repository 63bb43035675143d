//! Estimates the number of replicas. Without a shared counter, each replica enforces its share of every
//! limit.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::limits::window;

/// Interval between the heartbeats of a replica.
pub const BEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Time after its last heartbeat during which a replica is counted: three heartbeat intervals.
pub const BEAT_LIFETIME: Duration = Duration::from_secs(15);

/// Time for which a larger number is kept after it was last counted. The requests that a stopped
/// replica admitted remain in the window of their keys for this long.
const KEPT: Duration = window::SPAN.saturating_add(BEAT_INTERVAL);

/// Estimated number of replicas: the largest recent count. If a replica joins, the shares of the others
/// shrink at once; if one leaves, they grow a minute later.
#[derive(Clone, Debug, Default)]
pub struct ReplicaEstimate {
    /// Counts with the time at which each was last recorded, in strictly decreasing order.
    counted: VecDeque<(NonZeroU32, Duration)>,
}

impl ReplicaEstimate {
    /// Records the number of replicas at `now`, on a monotonic clock, and returns the estimate.
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
