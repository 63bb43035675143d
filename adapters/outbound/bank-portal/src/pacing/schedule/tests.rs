//! The budget, on a clock that tests move by hand.

use std::num::NonZeroU32;

use proptest::prelude::*;

use super::*;

const PATIENT: Duration = Duration::from_hours(24);

fn schedule(per_minute: u32) -> Schedule {
    Schedule::new(PacingConfig {
        cycles_per_minute: NonZeroU32::new(per_minute).unwrap(),
    })
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Takes every turn as soon as it may begin; who asks is there from `now` on.
fn take(schedule: &mut Schedule, tickets: &[Ticket], mut now: Duration) -> Vec<Duration> {
    let mut began = Vec::new();
    for ticket in tickets {
        began.push(loop {
            match schedule.step(*ticket, now) {
                Step::Go(turn) => break turn.began,
                Step::Wait(Some(at)) => now = at,
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
fn whoever_would_wait_too_long_is_refused_with_the_true_time() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    let tickets: Vec<_> = (0..5)
        .map(|_| schedule.queue(now, now + PATIENT).unwrap())
        .collect();
    let refused = schedule.queue(now, now + seconds(11)).unwrap_err();
    assert_eq!(refused.retry_after, seconds(12));
    take(&mut schedule, &tickets, now);
    let again = now + refused.retry_after;
    let ticket = schedule.queue(again, again).unwrap();
    assert!(matches!(schedule.step(ticket, again), Step::Go(_)));
}

#[test]
fn a_generous_budget_remembers_the_turns_of_the_last_minute_alone() {
    let mut schedule = schedule(10_000_000);
    let mut now = seconds(1000);
    for _ in 0..600 {
        let ticket = schedule.queue(now, now).unwrap();
        assert!(matches!(schedule.step(ticket, now), Step::Go(_)));
        now += seconds(1);
    }
    assert_eq!(schedule.pace.begun.len(), 60);
}

#[test]
fn a_small_budget_remembers_no_more_turns_than_it_has() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    let tickets: Vec<_> = (0..100)
        .map(|_| schedule.queue(now, now + PATIENT).unwrap())
        .collect();
    take(&mut schedule, &tickets, now);
    assert_eq!(schedule.pace.begun.len(), 15);
}

#[test]
fn a_caller_that_goes_away_gives_its_turn_to_the_next() {
    let mut schedule = schedule(1);
    let now = seconds(1000);
    let [first, second, third] = [(); 3].map(|()| schedule.queue(now, now + PATIENT).unwrap());
    assert!(matches!(schedule.step(first, now), Step::Go(_)));
    assert!(matches!(schedule.step(third, now), Step::Wait(None)));
    assert!(schedule.leave(second));
    assert!(!schedule.leave(first), "it is not waiting any more");
    match schedule.step(third, now) {
        Step::Wait(Some(at)) => assert_eq!(at, now + MINUTE),
        other => panic!("the third is the first now: {other:?}"),
    }
}

#[test]
fn nobody_asks_during_a_back_off_and_who_waits_is_sent_away() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    let tickets: Vec<_> = (0..5)
        .map(|_| schedule.queue(now, now + PATIENT).unwrap())
        .collect();
    let Step::Go(turn) = schedule.step(tickets[0], now) else {
        panic!("the first goes at once");
    };
    let met = now + seconds(2);
    assert_eq!(schedule.limited(turn, met).left(), seconds(120));
    let later = met + seconds(5);
    for ticket in &tickets[1..] {
        match schedule.step(*ticket, later) {
            Step::Leave(throttled) => assert_eq!(throttled.retry_after, seconds(115)),
            other => panic!("everybody is sent away: {other:?}"),
        }
    }
    let refused = schedule.queue(later, later + PATIENT).unwrap_err();
    assert_eq!(refused.retry_after, seconds(115));
    let end = later + refused.retry_after;
    let ticket = schedule.queue(end, end).unwrap();
    let Step::Go(turn) = schedule.step(ticket, end) else {
        panic!("the back-off is over");
    };
    assert_eq!(schedule.limited(turn, end).left(), seconds(240));
}

/// What happens to a schedule.
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

/// Somebody in the queue of the property below.
struct Caller {
    ticket: Ticket,
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

    /// Callers come and go at random; each that waits looks as soon as its turn may have come.
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
                        Err(refused) => prop_assert!(now + refused.retry_after > latest),
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
                    Step::Go(turn) => {
                        prop_assert!(turn.began <= first.latest);
                        began.push(turn.began);
                        queue.remove(0);
                    }
                    Step::Wait(Some(at)) if at <= until => now = at,
                    Step::Wait(Some(_)) => break,
                    other => prop_assert!(false, "the first goes or waits: {other:?}"),
                }
            }
            now = until;
        }
        let budget = usize::try_from(per_minute).unwrap();
        let burst = usize::try_from(BURST.min(per_minute)).unwrap();
        for window in began.windows(budget + 1) {
            prop_assert!(window[budget] >= window[0] + MINUTE);
        }
        for window in began.windows(burst + 1) {
            prop_assert!(window[burst] >= window[0] + MINUTE / per_minute);
        }
    }
}

#[test]
fn what_is_left_is_the_minutes_room_beside_those_who_wait() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    assert_eq!(schedule.left(now), (15, None));
    let tickets: Vec<_> = (0..5)
        .map(|_| schedule.queue(now, now + PATIENT).unwrap())
        .collect();
    assert_eq!(schedule.left(now), (10, None));
    take(&mut schedule, &tickets[..3], now);
    assert_eq!(schedule.left(now), (10, None));
    for ticket in &tickets[3..] {
        schedule.leave(*ticket);
    }
    assert_eq!(schedule.left(now), (12, None));
    assert_eq!(schedule.left(now + MINUTE), (15, None));
}

#[test]
fn what_is_left_tells_how_long_the_portal_is_left_alone() {
    let mut schedule = schedule(15);
    let now = seconds(1000);
    schedule.limited(Turn { began: now }, now);
    assert_eq!(schedule.left(now), (15, Some(Duration::from_mins(2))));
}
