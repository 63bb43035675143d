//! Budget, on a manual clock.

use std::num::NonZeroU32;

use proptest::prelude::*;

use super::*;
use crate::keys::CounterId;
use crate::pacing::WINDOW;
use crate::people::customer::CustomerId;
use uuid::Uuid;

const NOW: Duration = Duration::from_secs(1000);
const PATIENT: Duration = Duration::from_hours(24);
/// A lane without a maximum number of waiting callers.
const LANE: Lane = lane(1, LookupClass::Background);

const fn lane(customer: u128, class: LookupClass) -> Lane {
    Lane {
        customer: CustomerId(Uuid::from_u128(customer)),
        key: CounterId(Uuid::from_u128(customer)),
        class,
    }
}

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

/// Has so many callers wait, however long.
fn queue(schedule: &mut Schedule, callers: usize, now: Duration) -> Vec<WaiterId> {
    let one = |_| schedule.queue(LANE, now, now + PATIENT).unwrap();
    (0..callers).map(one).collect()
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

/// The time after the first turn at which each of so many callers goes that come together.
fn turns_of(per_minute: u32, callers: usize) -> Vec<Duration> {
    let mut schedule = schedule(per_minute);
    let tickets = queue(&mut schedule, callers, NOW);
    let began = take(&mut schedule, &tickets, NOW).into_iter();
    began.map(|at| at.abs_diff(NOW)).collect()
}

#[test]
fn a_caller_that_would_wait_too_long_is_refused_with_the_true_time() {
    let mut schedule = schedule(15);
    let tickets = queue(&mut schedule, 5, NOW);
    let refused = schedule.queue(LANE, NOW, NOW + seconds(11)).unwrap_err();
    let retry_after = 3 * pacing(15).spacing();
    assert_eq!(refused, Throttled::BudgetUsedUp { retry_after });
    take(&mut schedule, &tickets, NOW);
    let again = NOW + refused.retry_after();
    let ticket = schedule.queue(LANE, again, again).unwrap();
    assert!(matches!(schedule.step(ticket, again), Step::Go));
}

#[test]
fn three_go_at_once_from_idle_and_the_others_are_spaced_evenly() {
    let after = turns_of(15, 7).into_iter().map(|after| after.as_secs());
    assert!(after.eq([0, 0, 0, 4, 8, 12, 16]));
}

#[test]
fn a_minute_never_holds_more_than_the_budget_though_it_began_with_a_burst() {
    // Even spacing alone would begin the 16th 53 s after the first.
    assert_eq!(turns_of(15, 20)[15], WINDOW);
}

#[test]
fn the_turns_of_the_last_minute_are_remembered_and_no_more_than_a_budget_has() {
    let mut generous = schedule(10_000_000);
    for second in 0..600 {
        let now = NOW + seconds(second);
        let ticket = generous.queue(LANE, now, now).unwrap();
        assert!(matches!(generous.step(ticket, now), Step::Go));
    }
    assert_eq!(generous.pace.remembered(), 61);
    let mut small = schedule(15);
    let tickets = queue(&mut small, 100, NOW);
    take(&mut small, &tickets, NOW);
    assert_eq!(small.pace.remembered(), 15);
}

#[test]
fn a_caller_that_goes_away_gives_its_turn_to_the_next() {
    let mut schedule = schedule(1);
    let [first, second, third] = queue(&mut schedule, 3, NOW)[..] else {
        panic!("three wait");
    };
    assert!(matches!(schedule.step(first, NOW), Step::Go));
    assert!(matches!(schedule.step(third, NOW), Step::Behind(_)));
    assert!(schedule.leave(second));
    assert!(!schedule.leave(first), "it is not waiting any more");
    assert_eq!(schedule.step(third, NOW), Step::Wait(NOW + WINDOW));
}

#[test]
fn no_turn_is_given_during_a_back_off_and_waiting_callers_are_refused() {
    let mut schedule = schedule(15);
    let tickets = queue(&mut schedule, 5, NOW);
    assert_eq!(schedule.step(tickets[0], NOW), Step::Go);
    let met = NOW + seconds(2);
    let began = schedule.record_throttled(seconds(2), met);
    assert_eq!(began, BackOff::Began(seconds(120)));
    let later = met + seconds(5);
    for ticket in &tickets[1..] {
        assert_eq!(schedule.step(*ticket, later), Step::Leave(left_alone(115)));
    }
    let refused = schedule.queue(LANE, later, later + PATIENT).unwrap_err();
    assert_eq!(refused, left_alone(115));
    let end = later + refused.retry_after();
    let ticket = schedule.queue(LANE, end, end).unwrap();
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
        let tickets = queue(&mut schedule, taken, NOW);
        let began = take(&mut schedule, &tickets, NOW);
        let now = began.last().copied().unwrap_or(NOW) + seconds(pause);
        let tickets = queue(&mut schedule, others, now);
        let promised: Vec<_> = (0..others)
            .map(|place| schedule.pace.turn_behind(place, now))
            .collect();
        prop_assert_eq!(take(&mut schedule, &tickets, now), promised);
    }

    /// Callers come and go at random; each that waits checks as soon as its turn may have come.
    #[test]
    fn turns_keep_order_patience_and_budget(
        per_minute in 1_u32..90,
        events in proptest::collection::vec(event(), 0..120),
    ) {
        let mut schedule = schedule(per_minute);
        let mut now = NOW;
        let mut queue: Vec<Caller> = Vec::new();
        let mut began: Vec<Duration> = Vec::new();
        for event in events {
            let until = match event {
                Event::Arrive { patience } => {
                    let latest = now + Duration::from_millis(patience);
                    match schedule.queue(LANE, now, latest) {
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
            prop_assert!(window[budget] >= window[0] + WINDOW);
        }
        for window in began.windows(burst + 1) {
            prop_assert!(window[burst] >= window[0] + pacing(per_minute).spacing());
        }
        for window in began.windows(5) {
            prop_assert!(window[4] >= window[0] + pacing(per_minute).quick_window());
        }
    }
}

#[test]
fn the_budget_left_excludes_the_turns_of_waiting_callers_and_has_the_time_of_a_back_off() {
    let mut schedule = schedule(15);
    assert_eq!(left(&schedule, NOW), (15, None));
    let tickets = queue(&mut schedule, 5, NOW);
    assert_eq!(left(&schedule, NOW), (10, None));
    take(&mut schedule, &tickets[..3], NOW);
    assert_eq!(left(&schedule, NOW), (10, None));
    for ticket in &tickets[3..] {
        schedule.leave(*ticket);
    }
    assert_eq!(left(&schedule, NOW), (12, None));
    assert_eq!(left(&schedule, NOW + WINDOW), (15, None));
    let mut schedule = self::schedule(15);
    schedule.record_throttled(Duration::ZERO, NOW);
    assert_eq!(left(&schedule, NOW), (15, Some(Duration::from_mins(2))));
}

#[test]
fn merged_turns_count_wherever_they_are_in_the_minute() {
    let mut schedule = schedule(3);
    for ago in [10, 50, 30] {
        schedule.merge_acquisition(seconds(ago), NOW);
    }
    assert_eq!(left(&schedule, NOW), (0, None));
    // The oldest leaves the window in 11 s; evenly spaced by 20 s, the next are due by then.
    let refused = schedule.queue(LANE, NOW, NOW).unwrap_err();
    assert_eq!(refused.retry_after(), seconds(11));
    assert_eq!(left(&schedule, NOW + seconds(11)), (1, None));
    assert_eq!(left(&schedule, NOW + seconds(51)), (3, None));
}

#[test]
fn a_caller_pushed_back_by_merged_turns_leaves_when_it_is_too_late() {
    let mut schedule = schedule(1);
    let waiting = schedule.queue(LANE, NOW, NOW + seconds(5)).unwrap();
    let patient = schedule.queue(LANE, NOW, NOW + PATIENT).unwrap();
    schedule.merge_acquisition(Duration::ZERO, NOW);
    let retry_after = WINDOW;
    let left = Step::Leave(Throttled::BudgetUsedUp { retry_after });
    assert_eq!(schedule.step(waiting, NOW), left);
    assert_eq!(schedule.step(patient, NOW), Step::Wait(NOW + WINDOW));
}

#[test]
fn a_merged_back_off_refuses_all_waiting_callers() {
    let mut schedule = schedule(15);
    let ticket = schedule.queue(LANE, NOW, NOW + PATIENT).unwrap();
    schedule.merge_back_off(seconds(90), NOW);
    assert_eq!(schedule.step(ticket, NOW), Step::Leave(left_alone(90)));
    let refused = schedule.queue(LANE, NOW, NOW + PATIENT);
    assert_eq!(refused, Err(left_alone(90)));
    let met = schedule.record_throttled(seconds(3), NOW + seconds(1));
    assert_eq!(met, BackOff::Joined(seconds(89)), "it was under way");
}

#[test]
fn no_fifth_turn_follows_within_four_seconds() {
    let (none, spacing, four) = (Duration::ZERO, pacing(60).spacing(), seconds(4));
    assert_eq!(turns_of(60, 6), [none, none, none, spacing, four, four]);
}

#[test]
fn a_key_has_sixteen_waiting_callers_and_other_lanes_are_not_counted() {
    let mut schedule = schedule(60_000);
    let greedy = lane(2, LookupClass::Interactive);
    for _ in 0..MAX_WAITING_PER_KEY {
        schedule.queue(greedy, NOW, NOW + PATIENT).unwrap();
    }
    let refused = schedule.queue(greedy, NOW, NOW + PATIENT).unwrap_err();
    let turn = schedule.pace.turn_behind(MAX_WAITING_PER_KEY, NOW);
    let retry_after = turn.abs_diff(NOW);
    assert_eq!(refused, Throttled::QueueFull { retry_after });
    assert_eq!(retry_after, 14 * pacing(60_000).spacing());
    let background = lane(2, LookupClass::Background);
    for lane in [background, lane(3, LookupClass::Interactive)] {
        schedule.queue(lane, NOW, NOW + PATIENT).unwrap();
    }
    let waiting = schedule.waiting();
    assert_eq!((waiting.interactive, waiting.background), (17, 1));
}

#[test]
fn a_new_customer_is_next_though_another_one_has_many_waiting() {
    let mut schedule = schedule(15);
    let greedy = lane(2, LookupClass::Interactive);
    let taken: Vec<_> = (0..8)
        .map(|_| schedule.queue(greedy, NOW, NOW + seconds(22)).unwrap())
        .collect();
    take(&mut schedule, &taken[..3], NOW);
    let refused = schedule.queue(greedy, NOW, NOW + seconds(22)).unwrap_err();
    assert_eq!(refused.retry_after(), 6 * pacing(15).spacing());
    let modest = lane(3, LookupClass::Interactive);
    let modest = schedule.queue(modest, NOW, NOW + seconds(22)).unwrap();
    let began = take(&mut schedule, &[taken[3], modest], NOW);
    assert_eq!(began[1].abs_diff(NOW), 2 * pacing(15).spacing());
    // The last one of the greedy customer is too late NOW, and hears it at its deadline.
    let last = taken[7];
    let deadline = NOW + seconds(22);
    assert_eq!(schedule.step(last, began[1]), Step::Behind(deadline));
    let Step::Leave(Throttled::BudgetUsedUp { retry_after }) = schedule.step(last, deadline) else {
        panic!("it is too late");
    };
    assert!(!retry_after.is_zero());
}
