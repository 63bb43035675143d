//! Times of a delivery's attempts, and when a failing webhook is disabled.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::{AttemptResult, EventType};

/// A webhook that fails for this long without a success is disabled.
pub const GIVE_UP_AFTER: TimeDelta = TimeDelta::hours(120);

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// Waits before the second and later attempts, in milliseconds. The first attempt is made at once.
const WAITS: [u64; 9] = [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
];

/// Wait after an attempt that doesn't count, in milliseconds. Another process may know the secret, or
/// this one after a restart.
const UNCOUNTED_WAIT: u64 = MINUTE;

/// Maximum number of attempts that count.
pub const MAX_STEPS: u32 = 10;

/// Random factor of a wait, 0.8 to 1.2, so that messages that failed together aren't retried together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter(u16);

impl Jitter {
    /// Number of random bytes for a factor.
    pub const BYTES: usize = 2;
    /// Approximately the factor 1.
    pub const NONE: Self = Self(u16::MAX / 2);

    /// Derives a factor from random bytes.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(u16::from_le_bytes(bytes))
    }

    fn of(self, millis: u64) -> u64 {
        // 0.8 + 0.4 × random in integer arithmetic. The longest wait is below 2^27, so it doesn't
        // overflow.
        let spread = millis * 2 / 5;
        millis - millis / 5 + spread * u64::from(self.0) / u64::from(u16::MAX)
    }
}

/// The next step after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextDelivery {
    /// The receiver accepted the message.
    Delivered,
    /// The message is sent again.
    Again {
        /// Time of the next attempt.
        at: DateTime<Utc>,
    },
    /// No attempt is left.
    GiveUp,
    /// The receiver responded 410 Gone: the webhook is disabled.
    Disable,
}

/// The step after the `made`th attempt, which ended now. `retry_after` is the receiver's `Retry-After`;
/// it is considered only for the statuses 429 and 503, and limited to the range from the scheduled wait
/// to the one after it. A test is tried once.
pub fn next_delivery(
    kind: EventType,
    made: u32,
    (result, retry_after): (AttemptResult, Option<Duration>),
    jitter: Jitter,
    now: DateTime<Utc>,
) -> NextDelivery {
    match result {
        AttemptResult::Answered(200..=299) => return NextDelivery::Delivered,
        AttemptResult::Answered(410) => return NextDelivery::Disable,
        AttemptResult::Answered(_) | AttemptResult::Failed(_) => {}
    }
    let place = usize::try_from(made.max(1) - 1).unwrap_or(usize::MAX);
    let Some(wait) = WAITS.get(place).filter(|_| kind != EventType::Test) else {
        return NextDelivery::GiveUp;
    };
    let following = WAITS.get(place + 1).unwrap_or(wait);
    let scheduled = jitter.of(*wait);
    let asked = retry_after.filter(|_| matches!(result, AttemptResult::Answered(429 | 503)));
    let wait = asked.map_or(scheduled, |asked| {
        let asked = u64::try_from(asked.as_millis()).unwrap_or(u64::MAX);
        asked.clamp(scheduled, scheduled.max(*following))
    });
    let wait = TimeDelta::milliseconds(i64::try_from(wait).unwrap_or_default());
    NextDelivery::Again { at: now + wait }
}

/// The step after an attempt that doesn't count ([`AttemptResult::counts`]): it is repeated each minute
/// until [`GIVE_UP_AFTER`] from the delivery's creation. A test is tried once.
pub fn next_uncounted(
    kind: EventType,
    created_at: DateTime<Utc>,
    jitter: Jitter,
    now: DateTime<Utc>,
) -> NextDelivery {
    if kind == EventType::Test || now - created_at >= GIVE_UP_AFTER {
        return NextDelivery::GiveUp;
    }
    let wait = i64::try_from(jitter.of(UNCOUNTED_WAIT)).unwrap_or_default();
    NextDelivery::Again {
        at: now + TimeDelta::milliseconds(wait),
    }
}

/// Attempts that remain if all of them fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptsLeft {
    /// Number of attempts, at least 1.
    pub count: u32,
    /// Time of the last attempt, without jitter.
    pub last_at: DateTime<Utc>,
}

/// The attempts that remain after the `made`th one; `next_at` is the time of the next.
pub fn attempts_left(kind: EventType, made: u32, next_at: DateTime<Utc>) -> AttemptsLeft {
    let waits = match kind {
        EventType::Test => &[],
        _ => usize::try_from(made)
            .ok()
            .and_then(|made| WAITS.get(made..))
            .unwrap_or_default(),
    };
    let rest = i64::try_from(waits.iter().sum::<u64>()).unwrap_or_default();
    AttemptsLeft {
        count: u32::try_from(waits.len()).unwrap_or_default() + 1,
        last_at: next_at + TimeDelta::milliseconds(rest),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::SendFailure;
    use super::*;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;
    const DOWN: AttemptResult = AttemptResult::Failed(SendFailure::Unreachable);

    fn after(made: u32, status: u16, retry_after: u64) -> NextDelivery {
        let result = AttemptResult::Answered(status);
        let retry_after = Some(Duration::from_secs(retry_after));
        let lookup = EventType::LookupDelivered;
        next_delivery(lookup, made, (result, retry_after), Jitter::NONE, NOW)
    }

    fn wait(next: NextDelivery) -> i64 {
        match next {
            NextDelivery::Again { at } => (at - NOW).num_seconds(),
            other => panic!("it is tried again: {other:?}"),
        }
    }

    #[test]
    fn there_are_ten_attempts_within_five_days() {
        let kind = EventType::BatchFinished;
        let next = |made| next_delivery(kind, made, (DOWN, None), Jitter::NONE, NOW);
        let waits: Vec<_> = (1..MAX_STEPS).map(|made| wait(next(made))).collect();
        let hours = [2, 5, 10, 14, 20, 24].map(|hours| hours * 3_600);
        let expected = [&[5, 300, 1_800][..], &hours].concat();
        assert_eq!(waits.len(), expected.len());
        for (wait, expected) in waits.iter().zip(expected) {
            assert!((wait - expected).abs() <= 1, "{wait} {expected}");
        }
        assert_eq!(next(MAX_STEPS), NextDelivery::GiveUp);
        assert!(TimeDelta::seconds(waits.iter().sum()) < GIVE_UP_AFTER);
    }

    #[test]
    fn every_status_has_its_step() {
        for status in [200, 201, 204, 299] {
            assert_eq!(after(1, status, 0), NextDelivery::Delivered, "{status}");
        }
        assert_eq!(after(1, 410, 0), NextDelivery::Disable);
        for status in [
            100, 199, 300, 301, 304, 307, 400, 401, 404, 429, 500, 503, 599,
        ] {
            assert!(matches!(after(1, status, 0), NextDelivery::Again { .. }));
            assert_eq!(after(10, status, 0), NextDelivery::GiveUp, "{status}");
        }
    }

    #[test]
    fn a_receiver_may_ask_for_more_time_but_not_for_all_of_it() {
        for status in [429, 503] {
            assert_eq!(wait(after(1, status, 0)), 4, "the wait of the schedule");
            assert_eq!(wait(after(1, status, 60)), 60);
            assert_eq!(wait(after(1, status, 100_000)), 300, "the wait after it");
            assert_eq!(wait(after(9, status, 1_000_000)), 24 * 3_600);
        }
        assert_eq!(wait(after(1, 500, 60)), 4);
    }

    #[test]
    fn a_test_is_tried_once() {
        let left = attempts_left(EventType::Test, 0, NOW);
        assert_eq!((left.count, left.last_at), (1, NOW));
        let next = next_delivery(EventType::Test, 1, (DOWN, None), Jitter::NONE, NOW);
        assert_eq!(next, NextDelivery::GiveUp);
        let next = next_uncounted(EventType::Test, NOW, Jitter::NONE, NOW);
        assert_eq!(next, NextDelivery::GiveUp);
    }

    #[test]
    fn what_does_not_count_is_tried_each_minute_for_five_days() {
        let next = |now| next_uncounted(EventType::BatchFinished, NOW, Jitter::NONE, now);
        assert_eq!(wait(next(NOW)), 59, "a minute, less the rounding");
        let last = NOW + GIVE_UP_AFTER - TimeDelta::milliseconds(1);
        assert!(matches!(next(last), NextDelivery::Again { at } if at > last));
        assert_eq!(next(NOW + GIVE_UP_AFTER), NextDelivery::GiveUp);
        assert!(!AttemptResult::Failed(SendFailure::NotSigned).counts());
        assert!(DOWN.counts() && AttemptResult::Answered(500).counts());
    }

    #[test]
    fn the_attempts_left_are_those_that_follow() {
        let kind = EventType::LookupExpired;
        for begun in 0..MAX_STEPS {
            let planned = attempts_left(kind, begun, NOW);
            let (mut made, mut at) = (begun + 1, NOW);
            while let NextDelivery::Again { at: next } =
                next_delivery(kind, made, (DOWN, None), Jitter::NONE, at)
            {
                (made, at) = (made + 1, next);
            }
            assert_eq!(planned.count, made - begun, "{begun}");
            // The factor 1 is nearly 1: a few seconds of four days.
            let apart = (planned.last_at - at).num_seconds().abs();
            assert!(apart < 10, "{begun}: {apart} s");
        }
    }

    proptest! {
        #[test]
        fn a_wait_is_within_a_fifth_of_the_schedule(made in 1..MAX_STEPS, bytes: [u8; 2]) {
            let kind = EventType::LookupFailed;
            let next = next_delivery(kind, made, (DOWN, None), Jitter::from_bytes(bytes), NOW);
            let NextDelivery::Again { at } = next else { panic!("it is tried again") };
            let waited = u64::try_from((at - NOW).num_milliseconds()).unwrap();
            let scheduled = WAITS[made as usize - 1];
            prop_assert!(waited >= scheduled * 4 / 5 && waited <= scheduled * 6 / 5);
        }

        #[test]
        fn no_answer_and_no_number_of_attempts_fails(
            made: u32,
            status: u16,
            seconds: Option<u64>,
            bytes: [u8; 2],
        ) {
            let result = AttemptResult::Answered(status);
            let asked = seconds.map(Duration::from_secs);
            let jitter = Jitter::from_bytes(bytes);
            let next = next_delivery(EventType::LookupFailed, made, (result, asked), jitter, NOW);
            if let NextDelivery::Again { at } = next {
                prop_assert!(at > NOW && at <= NOW + TimeDelta::hours(29));
            }
        }
    }
}
