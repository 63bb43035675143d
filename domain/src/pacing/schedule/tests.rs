//! Budget, on a manual clock.

use std::num::NonZeroU32;

use proptest::prelude::*;

use super::*;
use crate::pacing::MINUTE;

const PATIENT: Duration = Duration::from_hours(24);

fn pacing(per_minute: u32) -> Pacing {
    Pacing::new(NonZeroU32::new(per_minute).unwrap())
}

fn schedule(per_minute: u32) -> Schedule {
    Schedule::new(pacing(per_minute))
}

fn left(schedule: &Schedule, now: Duration) -> (u32, Option<Duration>) {
    (schedule.room(now), schedule.paused_for(now))
}

fn left_alone(for_seconds: u64) -> Throttled {
    Throttled::BackingOff {
        retry_after: seconds(for_seconds),
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Takes every turn as early as possible; all callers are there from `now` on.
fn take(schedule: &mut Schedule, tickets: &[WaiterId], mut now: Duration) -> Vec<Duration> {
    let mut began = Vec::new();
    for ticket in tickets {
        began.push(loop {
            match schedule.step(*ticket, now) {
                Step::Go => break now,
                Step::Wait(at) => now = at,
                other => panic!("the first in the queue goes or waits: {other:?}"),
            }
        });
    }
    began
}

#[test]
fn three_go_at_once_from_idle_and_the_others_are_spaced_evenly() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    let tickets: Vec<_> = (0..7)
        .map(|_| schedule.queue(now, now + PATIENT).unwrap())
        .collect();
    let began = take(&mut schedule, &tickets, now);
    let after: Vec<_> = began.iter().map(|at| at.abs_diff(now).as_secs()).collect();
    assert_eq!(after, [0, 0, 0, 4, 8, 12, 16]);
}

#[test]
fn a_minute_never_holds_more_than_the_budget_though_it_began_with_a_burst() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    let tickets: Vec<_> = (0..20)
        .map(|_| schedule.queue(now, now + PATIENT).unwrap())
        .collect();
    let began = take(&mut schedule, &tickets, now);
    // Even spacing alone would begin the 16th 52 s after the first.
    assert_eq!(began[15], began[0] + MINUTE);
}

#[test]
fn a_caller_that_would_wait_too_long_is_refused_with_the_true_time() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    let tickets: Vec<_> = (0..5)
        .map(|_| schedule.queue(now, now + PATIENT).unwrap())
        .collect();
    let refused = schedule.queue(now, now + seconds(11)).unwrap_err();
    assert_eq!(
        refused,
        Throttled::BudgetUsedUp {
            retry_after: seconds(12)
        }
    );
    take(&mut schedule, &tickets, now);
    let again = now + refused.retry_after();
    let ticket = schedule.queue(again, again).unwrap();
    assert!(matches!(schedule.step(ticket, again), Step::Go));
}

#[test]
fn a_generous_budget_remembers_the_turns_of_the_last_minute_alone() {
    let mut schedule = schedule(10_000_000);
    let mut now = seconds(1000);
    for _ in 0..600 {
        let ticket = schedule.queue(now, now).unwrap();
        assert!(matches!(schedule.step(ticket, now), Step::Go));
        now += seconds(1);
    }
    assert_eq!(schedule.pace.remembered(), 60);
}

#[test]
fn a_small_budget_remembers_no_more_turns_than_it_has() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    let tickets: Vec<_> = (0..100)
        .map(|_| schedule.queue(now, now + PATIENT).unwrap())
        .collect();
    take(&mut schedule, &tickets, now);
    assert_eq!(schedule.pace.remembered(), 15);
}

#[test]
fn a_caller_that_goes_away_gives_its_turn_to_the_next() {
    let mut schedule = schedule(1);
    let now = seconds(1000);
    let [first, second, third] = [(); 3].map(|()| schedule.queue(now, now + PATIENT).unwrap());
    assert!(matches!(schedule.step(first, now), Step::Go));
    assert!(matches!(schedule.step(third, now), Step::Behind(_)));
    assert!(schedule.leave(second));
    assert!(!schedule.leave(first), "it is not waiting any more");
    assert_eq!(schedule.step(third, now), Step::Wait(now + MINUTE));
}

#[test]
fn no_turn_is_given_during_a_back_off_and_waiting_callers_are_refused() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    let tickets: Vec<_> = (0..5)
        .map(|_| schedule.queue(now, now + PATIENT).unwrap())
        .collect();
    assert_eq!(schedule.step(tickets[0], now), Step::Go);
    let met = now + seconds(2);
    assert_eq!(
        schedule.record_throttled(seconds(2), met),
        BackOff::Began(seconds(120))
    );
    let later = met + seconds(5);
    for ticket in &tickets[1..] {
        assert_eq!(schedule.step(*ticket, later), Step::Leave(left_alone(115)));
    }
    let refused = schedule.queue(later, later + PATIENT).unwrap_err();
    assert_eq!(refused, left_alone(115));
    let end = later + refused.retry_after();
    let ticket = schedule.queue(end, end).unwrap();
    assert_eq!(schedule.step(ticket, end), Step::Go);
    let again = schedule.record_throttled(Duration::ZERO, end);
    assert_eq!(again, BackOff::Began(seconds(240)));
}

/// Events of a schedule.
#[derive(Clone, Debug)]
enum Event {
    Arrive { patience: u64 },
    GoAway { place: usize },
    Pass { millis: u64 },
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0_u64..90_000).prop_map(|patience| Event::Arrive { patience }),
        1 => (0_usize..8).prop_map(|place| Event::GoAway { place }),
        3 => (0_u64..20_000).prop_map(|millis| Event::Pass { millis }),
    ]
}

/// A caller in the queue of the property below.
struct Caller {
    ticket: WaiterId,
    latest: Duration,
}

proptest! {
    #[test]
    fn the_turn_that_is_promised_is_the_turn_that_is_taken(
        per_minute in 1_u32..40,
        taken in 0_usize..60,
        others in 0_usize..60,
        pause in 0_u64..90,
    ) {
        let mut schedule = schedule(per_minute);
        let start = seconds(1000);
        let queue = |schedule: &mut Schedule, number, now: Duration| -> Vec<_> {
            (0..number).map(|_| schedule.queue(now, now + PATIENT).unwrap()).collect()
        };
        let tickets = queue(&mut schedule, taken, start);
        let began = take(&mut schedule, &tickets, start);
        let now = began.last().copied().unwrap_or(start) + seconds(pause);
        let tickets = queue(&mut schedule, others, now);
        let promised: Vec<_> = (0..others)
            .map(|place| schedule.pace.turn_behind(place, now))
            .collect();
        prop_assert_eq!(take(&mut schedule, &tickets, now), promised);
    }

    /// Callers come and go at random; each that waits checks as soon as its turn may have come.
    #[test]
    fn turns_keep_order_patience_and_budget(
        per_minute in 1_u32..40,
        events in proptest::collection::vec(event(), 0..120),
    ) {
        let mut schedule = schedule(per_minute);
        let mut now = seconds(1000);
        let mut queue: Vec<Caller> = Vec::new();
        let mut began: Vec<Duration> = Vec::new();
        for event in events {
            let until = match event {
                Event::Arrive { patience } => {
                    let latest = now + Duration::from_millis(patience);
                    match schedule.queue(now, latest) {
                        Ok(ticket) => queue.push(Caller { ticket, latest }),
                        Err(refused) => prop_assert!(now + refused.retry_after() > latest),
                    }
                    now
                }
                Event::GoAway { place } => {
                    if place < queue.len() {
                        let caller = queue.remove(place);
                        prop_assert!(schedule.leave(caller.ticket));
                    }
                    now
                }
                Event::Pass { millis } => now + Duration::from_millis(millis),
            };
            while let Some(first) = queue.first() {
                match schedule.step(first.ticket, now) {
                    Step::Go => {
                        prop_assert!(now <= first.latest);
                        began.push(now);
                        queue.remove(0);
                    }
                    Step::Wait(at) if at <= until => now = at,
                    Step::Wait(_) => break,
                    other => prop_assert!(false, "the first goes or waits: {other:?}"),
                }
            }
            now = until;
        }
        let budget = usize::try_from(per_minute).unwrap();
        let burst = usize::try_from(3.min(per_minute)).unwrap();
        for window in began.windows(budget + 1) {
            prop_assert!(window[budget] >= window[0] + MINUTE);
        }
        for window in began.windows(burst + 1) {
            prop_assert!(window[burst] >= window[0] + pacing(per_minute).spacing());
        }
    }
}

#[test]
fn the_budget_left_excludes_the_turns_of_waiting_callers() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    assert_eq!(left(&schedule, now), (15, None));
    let tickets: Vec<_> = (0..5)
        .map(|_| schedule.queue(now, now + PATIENT).unwrap())
        .collect();
    assert_eq!(left(&schedule, now), (10, None));
    take(&mut schedule, &tickets[..3], now);
    assert_eq!(left(&schedule, now), (10, None));
    for ticket in &tickets[3..] {
        schedule.leave(*ticket);
    }
    assert_eq!(left(&schedule, now), (12, None));
    assert_eq!(left(&schedule, now + MINUTE), (15, None));
}

#[test]
fn the_budget_shows_the_time_left_of_a_back_off() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    schedule.record_throttled(Duration::ZERO, now);
    assert_eq!(left(&schedule, now), (15, Some(Duration::from_mins(2))));
}

#[test]
fn merged_turns_count_wherever_they_are_in_the_minute() {
    let mut schedule = schedule(3);
    let now = seconds(1000);
    for ago in [10, 50, 30] {
        schedule.merge_acquisition(seconds(ago), now);
    }
    assert_eq!(left(&schedule, now), (0, None));
    // The oldest leaves the minute in 10 s; evenly spaced by 20 s, the next are due by then.
    let refused = schedule.queue(now, now).unwrap_err();
    assert_eq!(refused.retry_after(), seconds(10));
    assert_eq!(left(&schedule, now + seconds(10)), (1, None));
    assert_eq!(left(&schedule, now + seconds(50)), (3, None));
}

#[test]
fn a_caller_pushed_back_by_merged_turns_leaves_when_it_is_too_late() {
    let mut schedule = schedule(1);
    let now = seconds(1000);
    let waiting = schedule.queue(now, now + seconds(5)).unwrap();
    let patient = schedule.queue(now, now + PATIENT).unwrap();
    schedule.merge_acquisition(Duration::ZERO, now);
    let retry_after = MINUTE;
    let left = Step::Leave(Throttled::BudgetUsedUp { retry_after });
    assert_eq!(schedule.step(waiting, now), left);
    assert_eq!(schedule.step(patient, now), Step::Wait(now + MINUTE));
}

#[test]
fn a_merged_back_off_refuses_all_waiting_callers() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    let ticket = schedule.queue(now, now + PATIENT).unwrap();
    schedule.merge_back_off(seconds(90), now);
    assert_eq!(schedule.step(ticket, now), Step::Leave(left_alone(90)));
    assert_eq!(schedule.queue(now, now + PATIENT), Err(left_alone(90)));
    let met = schedule.record_throttled(seconds(3), now + seconds(1));
    assert_eq!(met, BackOff::Joined(seconds(89)), "it was under way");
}
