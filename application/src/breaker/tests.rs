//! Who may call when.

use proptest::prelude::*;

use super::*;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Makes one call that ends at once.
fn call(breaker: &mut Breaker, ending: Ending, now: Duration) -> Option<Change> {
    let permit = breaker.permit(now).expect("leave to call");
    breaker.end(permit, ending, now)
}

fn opened_at(now: Duration) -> Breaker {
    let mut breaker = Breaker::default();
    for _ in 1..FAILURES {
        assert_eq!(call(&mut breaker, Ending::Failed, now), None);
        assert!(breaker.is_closed());
    }
    let last = call(&mut breaker, Ending::Failed, now);
    assert_eq!(last, Some(Change::Opened));
    assert!(!breaker.is_closed());
    breaker
}

#[test]
fn failures_that_are_not_in_a_row_open_nothing() {
    let mut breaker = Breaker::default();
    for _ in 0..10 {
        for _ in 1..FAILURES {
            assert_eq!(call(&mut breaker, Ending::Failed, seconds(0)), None);
        }
        call(&mut breaker, Ending::Abandoned, seconds(0));
        assert_eq!(call(&mut breaker, Ending::Answered, seconds(0)), None);
    }
    assert!(breaker.is_closed());
}

#[test]
fn rests_grow_from_one_second_to_fifteen() {
    let mut now = seconds(100);
    let mut breaker = opened_at(now);
    for rest in [1, 2, 4, 8, 15, 15, 15] {
        let early = now + Duration::from_millis(rest * 1_000 - 1);
        assert_eq!(breaker.permit(early), None, "after a rest of {rest} s");
        now += seconds(rest);
        assert_eq!(call(&mut breaker, Ending::Failed, now), None);
    }
    now += seconds(15);
    let answered = call(&mut breaker, Ending::Answered, now);
    assert_eq!(answered, Some(Change::Closed));
    assert!(breaker.is_closed());
    let mut again = opened_at(now);
    assert_eq!(again.permit(now + Duration::from_millis(999)), None);
    assert!(again.permit(now + seconds(1)).is_some());
}

#[test]
fn one_call_at_a_time_probes() {
    let mut breaker = opened_at(seconds(0));
    let probe = breaker.permit(seconds(1)).unwrap();
    assert_eq!(breaker.permit(seconds(99)), None);
    assert_eq!(breaker.end(probe, Ending::Abandoned, seconds(99)), None);
    assert!(
        !breaker.is_closed(),
        "a call that was given up tells nothing"
    );
    assert!(breaker.permit(seconds(99)).is_some());
}

#[test]
fn calls_from_before_a_change_tell_nothing() {
    let mut breaker = Breaker::default();
    let slow = breaker.permit(seconds(0)).unwrap();
    for _ in 0..FAILURES {
        call(&mut breaker, Ending::Failed, seconds(0));
    }
    assert_eq!(breaker.end(slow, Ending::Answered, seconds(0)), None);
    assert!(!breaker.is_closed());
    let probe = breaker.permit(seconds(1)).unwrap();
    assert_eq!(breaker.end(slow, Ending::Failed, seconds(1)), None);
    let closed = breaker.end(probe, Ending::Answered, seconds(1));
    assert_eq!(closed, Some(Change::Closed));
    for _ in 0..FAILURES {
        assert_eq!(breaker.end(slow, Ending::Failed, seconds(1)), None);
    }
    assert!(breaker.is_closed());
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Begin,
    End(usize, Ending),
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ending = prop_oneof![
        1 => Just(Ending::Answered),
        3 => Just(Ending::Failed),
        1 => Just(Ending::Abandoned),
    ];
    let step = prop_oneof![
        3 => Just(Step::Begin),
        3 => (0..8_usize, ending).prop_map(|(call, ending)| Step::End(call, ending)),
        1 => (0..20_000_u64).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 0..200)
}

proptest! {
    #[test]
    fn while_it_is_open_one_call_runs_at_most_and_somebody_may_try_within_the_longest_rest(
        steps in steps(),
    ) {
        let mut breaker = Breaker::default();
        let mut now = Duration::ZERO;
        let mut running = Vec::new();
        let mut probes = 0;
        for step in steps {
            match step {
                Step::Begin => {
                    let closed = breaker.is_closed();
                    if let Some(permit) = breaker.permit(now) {
                        probes += usize::from(!closed);
                        prop_assert!(probes <= 1);
                        running.push((permit, !closed));
                    }
                }
                Step::End(call, ending) if call < running.len() => {
                    let (permit, probe) = running.swap_remove(call);
                    let was_closed = breaker.is_closed();
                    let change = breaker.end(permit, ending, now);
                    let expected = match (was_closed, breaker.is_closed()) {
                        (true, false) => Some(Change::Opened),
                        (false, true) => Some(Change::Closed),
                        _ => None,
                    };
                    prop_assert_eq!(change, expected);
                    prop_assert!(change != Some(Change::Closed) || probe);
                    probes -= usize::from(probe);
                }
                Step::End(..) => {}
                Step::Wait(ms) => now += Duration::from_millis(ms),
            }
        }
        if probes == 0 {
            prop_assert!(breaker.permit(now + LONGEST_REST).is_some());
        }
    }
}

#[test]
fn each_change_is_said_at_once() {
    let mut breaker = opened_at(seconds(0));
    let news = |now, changes| Some(Transition { now, changes });
    assert_eq!(breaker.news(seconds(0)), news(Change::Opened, 1));
    assert_eq!(breaker.news(seconds(0)), None);
    call(&mut breaker, Ending::Answered, seconds(1));
    assert_eq!(breaker.news(seconds(1)), news(Change::Closed, 1));
}

#[test]
fn changes_that_follow_each_other_all_the_time_are_said_together_and_the_last_one_is() {
    let mut breaker = Breaker::default();
    let mut said = Vec::new();
    for second in 0..600 {
        let now = seconds(second);
        if breaker.is_closed() {
            for _ in 0..FAILURES {
                call(&mut breaker, Ending::Failed, now);
            }
        } else {
            call(&mut breaker, Ending::Answered, now);
        }
        said.extend(breaker.news(now));
    }
    assert!((60..=65).contains(&said.len()), "{}", said.len());
    let is_closed = breaker.is_closed();
    for second in 600..620 {
        if breaker.is_closed() {
            call(&mut breaker, Ending::Answered, seconds(second));
        }
        said.extend(breaker.news(seconds(second)));
    }
    let last = said.last().unwrap();
    assert_eq!(last.now == Change::Closed, is_closed);
    let changes: u32 = said.iter().map(|news| news.changes).sum();
    assert_eq!(changes, 600);
}
