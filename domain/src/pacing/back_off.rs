//! Exponential back-off after the portal has throttled us.

use std::time::Duration;

/// First back-off. Recorded clients got answers again after minutes, not seconds.
pub const FIRST_BACK_OFF: Duration = Duration::from_mins(2);
/// Maximum number of doublings of the first back-off, up to 32 minutes.
const DOUBLINGS: u32 = 4;
/// Tolerance within which a merged back-off counts as the known one. A report takes time to arrive, and
/// must not lengthen the back-off each time it is passed on.
const SAME_BACK_OFF: Duration = Duration::from_secs(2);

/// Effect of a throttled cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackOff {
    /// A back-off of this length began.
    Began(Duration),
    /// A concurrent cycle had already begun a back-off with this time left.
    Joined(Duration),
}

impl BackOff {
    /// Time until queries are allowed again.
    pub const fn left(self) -> Duration {
        match self {
            Self::Began(left) | Self::Joined(left) => left,
        }
    }
}

/// Current back-off and the number of consecutive ones.
#[derive(Debug, Default)]
pub(super) struct BackOffState {
    /// Number of consecutive back-offs.
    consecutive: u32,
    /// Start and end of the newest back-off.
    newest: Option<(Duration, Duration)>,
}

impl BackOffState {
    /// Time left of the back-off; `None` if queries are allowed.
    pub(super) fn remaining(&self, now: Duration) -> Option<Duration> {
        let (_, end) = self.newest?;
        end.checked_sub(now).filter(|left| !left.is_zero())
    }

    /// Records that a cycle begun at `cycle` was throttled. Concurrent cycles are throttled together
    /// and count once.
    pub(super) fn record_throttled(&mut self, cycle: Duration, now: Duration) -> BackOff {
        if let (Some((began, _)), Some(left)) = (self.newest, self.remaining(now))
            && cycle <= began
        {
            return BackOff::Joined(left);
        }
        let length = FIRST_BACK_OFF * 2_u32.pow(self.consecutive.min(DOUBLINGS));
        self.consecutive = self.consecutive.saturating_add(1);
        self.newest = Some((now, now + length));
        BackOff::Began(length)
    }

    /// Merges a back-off of another process with the given time left; returns `true` if it was new. The
    /// number of consecutive back-offs is estimated from the time left.
    pub(super) fn merge(&mut self, left: Duration, now: Duration) -> bool {
        let end = now + left;
        let known = self.newest.map_or(now, |(_, known)| known + SAME_BACK_OFF);
        if left.is_zero() || end <= known {
            return false;
        }
        let covers = |consecutive: &u32| FIRST_BACK_OFF * 2_u32.pow(consecutive - 1) >= left;
        let consecutive = (1..=DOUBLINGS).find(covers).unwrap_or(DOUBLINGS + 1);
        self.consecutive = self.consecutive.max(consecutive);
        self.newest = Some((now, end));
        true
    }

    /// Resets the number of consecutive back-offs after a successful cycle begun at `cycle`. Ignored if
    /// that is before the newest back-off.
    pub(super) fn record_success(&mut self, cycle: Duration) {
        if self.newest.is_none_or(|(began, _)| cycle > began) {
            self.consecutive = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn minutes(minutes: u64) -> Duration {
        Duration::from_mins(minutes)
    }

    #[test]
    fn it_doubles_up_to_32_minutes_and_starts_again_after_a_success() {
        let mut back_off = BackOffState::default();
        let mut now = minutes(5);
        for expected in [2, 4, 8, 16, 32, 32, 32] {
            let next = back_off.record_throttled(now, now);
            assert_eq!(next, BackOff::Began(minutes(expected)));
            assert_eq!(back_off.remaining(now), Some(minutes(expected)));
            now += minutes(expected);
            assert_eq!(back_off.remaining(now), None);
            now += Duration::from_secs(1);
        }
        back_off.record_success(now);
        let next = back_off.record_throttled(now, now);
        assert_eq!(next, BackOff::Began(minutes(2)));
    }

    #[test]
    fn concurrent_cycles_count_once() {
        let mut back_off = BackOffState::default();
        let began = minutes(5);
        let first = began + Duration::from_secs(1);
        let met = back_off.record_throttled(began, first);
        assert_eq!(met, BackOff::Began(minutes(2)));
        let met = back_off.record_throttled(began, first + Duration::from_secs(20));
        assert_eq!(met, BackOff::Joined(Duration::from_secs(100)));
        let next = first + minutes(2);
        let met = back_off.record_throttled(next, next);
        assert_eq!(met, BackOff::Began(minutes(4)));
    }

    #[test]
    fn a_merged_back_off_is_kept_and_the_next_is_longer() {
        let lefts = [1, 2, 3, 7, 20, 32, 50];
        for (left, next) in lefts.into_iter().zip([4, 4, 8, 16, 32, 32, 32]) {
            let mut back_off = BackOffState::default();
            let now = minutes(5);
            assert!(back_off.merge(minutes(left), now));
            assert_eq!(back_off.remaining(now), Some(minutes(left)));
            let later = now + minutes(left);
            assert_eq!(back_off.remaining(later), None);
            let met = back_off.record_throttled(later, later);
            assert_eq!(met, BackOff::Began(minutes(next)), "after {left} minutes");
        }
    }

    #[test]
    fn a_back_off_is_never_shortened_nor_lengthened_by_being_merged_again() {
        let mut back_off = BackOffState::default();
        let mut now = minutes(5);
        back_off.record_throttled(now, now);
        assert!(!back_off.merge(Duration::ZERO, now));
        assert!(!back_off.merge(minutes(1), now));
        for _ in 0..100 {
            // A report takes a second to arrive.
            let left = back_off.remaining(now).unwrap();
            now += Duration::from_secs(1);
            assert!(!back_off.merge(left, now));
        }
        assert_eq!(back_off.remaining(now), Some(Duration::from_secs(20)));
        assert!(back_off.merge(minutes(4), now));
        assert_eq!(back_off.remaining(now), Some(minutes(4)));
    }

    #[test]
    fn the_next_back_off_is_longer_unless_a_cycle_that_began_after_it_succeeded() {
        for (success, next) in [(4, 4), (8, 2)] {
            let mut back_off = BackOffState::default();
            back_off.record_throttled(minutes(5), minutes(5));
            back_off.record_success(minutes(success));
            // One that is merged without time left is ignored.
            assert!(!back_off.merge(Duration::ZERO, minutes(9)));
            let met = back_off.record_throttled(minutes(9), minutes(9));
            assert_eq!(met, BackOff::Began(minutes(next)));
        }
    }
}
