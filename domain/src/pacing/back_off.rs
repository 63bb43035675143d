//! Silence after the portal has said that it is asked too much.

use std::time::Duration;

/// The first silence. Clients on record got answers again after minutes, not seconds.
pub const FIRST_BACK_OFF: Duration = Duration::from_mins(2);
/// The longest is the first, doubled so often: 32 minutes.
const DOUBLINGS: u32 = 4;
/// A silence that is told of and ends no later than this after the known one is the known one: what
/// is told takes time to arrive, and must not grow longer each time it is told on.
const SAME_BACK_OFF: Duration = Duration::from_secs(2);

/// What a limit page did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackOff {
    /// A back-off of this length began.
    Began(Duration),
    /// So much is left of the one that another cycle of the same time began.
    Joined(Duration),
}

impl BackOff {
    /// The time that is left.
    pub const fn left(self) -> Duration {
        match self {
            Self::Began(left) | Self::Joined(left) => left,
        }
    }
}

/// How long the portal is left alone.
#[derive(Debug, Default)]
pub(super) struct BackOffState {
    /// Back-offs in a row.
    strikes: u32,
    /// Beginning and end of the newest one.
    newest: Option<(Duration, Duration)>,
}

impl BackOffState {
    /// The time left; `None` when the portal may be asked.
    pub(super) fn remaining(&self, now: Duration) -> Option<Duration> {
        let (_, end) = self.newest?;
        end.checked_sub(now).filter(|left| !left.is_zero())
    }

    /// A cycle that began at `cycle` met the limit. Cycles that were under way together meet it
    /// together, and that is one strike.
    pub(super) fn strike(&mut self, cycle: Duration, now: Duration) -> BackOff {
        if let (Some((began, _)), Some(left)) = (self.newest, self.remaining(now))
            && cycle <= began
        {
            return BackOff::Joined(left);
        }
        let length = FIRST_BACK_OFF * 2_u32.pow(self.strikes.min(DOUBLINGS));
        self.strikes = self.strikes.saturating_add(1);
        self.newest = Some((now, now + length));
        BackOff::Began(length)
    }

    /// So much is left of a silence that was begun elsewhere; whether that was news. The strikes
    /// that led to it are inferred from its length, as far as what is left tells it.
    pub(super) fn merge(&mut self, left: Duration, now: Duration) -> bool {
        let end = now + left;
        let known = self.newest.map_or(now, |(_, known)| known + SAME_BACK_OFF);
        if left.is_zero() || end <= known {
            return false;
        }
        let covers = |strikes: &u32| FIRST_BACK_OFF * 2_u32.pow(strikes - 1) >= left;
        let strikes = (1..=DOUBLINGS).find(covers).unwrap_or(DOUBLINGS + 1);
        self.strikes = self.strikes.max(strikes);
        self.newest = Some((now, end));
        true
    }

    /// A cycle that began at `cycle` was answered; it says nothing when it is older than the
    /// newest back-off.
    pub(super) fn forgive(&mut self, cycle: Duration) {
        if self.newest.is_none_or(|(began, _)| cycle > began) {
            self.strikes = 0;
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
            assert_eq!(back_off.strike(now, now), BackOff::Began(minutes(expected)));
            assert_eq!(back_off.remaining(now), Some(minutes(expected)));
            now += minutes(expected);
            assert_eq!(back_off.remaining(now), None);
            now += Duration::from_secs(1);
        }
        back_off.forgive(now);
        assert_eq!(back_off.strike(now, now), BackOff::Began(minutes(2)));
    }

    #[test]
    fn cycles_that_were_under_way_together_are_one_strike() {
        let mut back_off = BackOffState::default();
        let began = minutes(5);
        let first = began + Duration::from_secs(1);
        assert_eq!(back_off.strike(began, first), BackOff::Began(minutes(2)));
        let later = first + Duration::from_secs(20);
        assert_eq!(
            back_off.strike(began, later),
            BackOff::Joined(Duration::from_secs(100))
        );
        let next = first + minutes(2);
        assert_eq!(back_off.strike(next, next), BackOff::Began(minutes(4)));
    }

    #[test]
    fn a_silence_that_was_told_of_is_kept_and_the_next_is_longer() {
        for (left, next) in [
            (1, 4),
            (2, 4),
            (3, 8),
            (7, 16),
            (20, 32),
            (32, 32),
            (50, 32),
        ] {
            let mut back_off = BackOffState::default();
            let now = minutes(5);
            assert!(back_off.merge(minutes(left), now));
            assert_eq!(back_off.remaining(now), Some(minutes(left)));
            let later = now + minutes(left);
            assert_eq!(back_off.remaining(later), None);
            assert_eq!(
                back_off.strike(later, later),
                BackOff::Began(minutes(next)),
                "after {left} minutes"
            );
        }
    }

    #[test]
    fn a_silence_is_never_made_shorter_and_not_longer_by_being_told_on() {
        let mut back_off = BackOffState::default();
        let mut now = minutes(5);
        back_off.strike(now, now);
        assert!(!back_off.merge(Duration::ZERO, now));
        assert!(!back_off.merge(minutes(1), now));
        for _ in 0..100 {
            // It takes a second to tell.
            let left = back_off.remaining(now).unwrap();
            now += Duration::from_secs(1);
            assert!(!back_off.merge(left, now));
        }
        assert_eq!(back_off.remaining(now), Some(Duration::from_secs(20)));
        assert!(back_off.merge(minutes(4), now));
        assert_eq!(back_off.remaining(now), Some(minutes(4)));
    }

    #[test]
    fn nothing_left_is_no_silence_though_there_was_one() {
        let mut back_off = BackOffState::default();
        back_off.strike(minutes(5), minutes(5));
        back_off.forgive(minutes(8));
        assert!(!back_off.merge(Duration::ZERO, minutes(9)));
        let next = back_off.strike(minutes(9), minutes(9));
        assert_eq!(next, BackOff::Began(minutes(2)));
    }

    #[test]
    fn a_late_success_of_before_does_not_forgive() {
        let mut back_off = BackOffState::default();
        back_off.strike(minutes(5), minutes(5));
        back_off.forgive(minutes(4));
        assert_eq!(
            back_off.strike(minutes(8), minutes(8)),
            BackOff::Began(minutes(4))
        );
    }
}
