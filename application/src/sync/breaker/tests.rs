//! States and transitions, and when they are logged.

use proptest::prelude::*;

use super::*;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Makes one call that ends at once.
fn call(breaker: &mut Breaker, result: CallResult, now: Duration) -> Option<Transition> {
    let permit = breaker.permit(now).expect("the circuit permits it");
    breaker.record(permit, result, now)
}

fn opened_at(now: Duration) -> Breaker {
    let mut breaker = Breaker::default();
    for _ in 1..FAILURES {
        assert_eq!(call(&mut breaker, CallResult::Failure, now), None);
        assert!(breaker.is_closed());
    }
    let last = call(&mut breaker, CallResult::Failure, now);
    assert_eq!(last, Some(Transition::Opened));
    assert!(!breaker.is_closed());
    breaker
}

#[test]
fn failures_that_are_not_in_a_row_open_nothing() {
    let mut breaker = Breaker::default();
    for _ in 0..10 {
        for _ in 1..FAILURES {
            assert_eq!(call(&mut breaker, CallResult::Failure, seconds(0)), None);
        }
        call(&mut breaker, CallResult::Cancelled, seconds(0));
        assert_eq!(call(&mut breaker, CallResult::Success, seconds(0)), None);
    }
    assert!(breaker.is_closed());
}

#[test]
fn cool_downs_grow_from_one_second_to_fifteen() {
    let mut now = seconds(100);
    let mut breaker = opened_at(now);
    for cool_down in [1, 2, 4, 8, 15, 15, 15] {
        let early = now + Duration::from_millis(cool_down * 1_000 - 1);
        assert_eq!(breaker.permit(early), None, "after {cool_down} s");
        now += seconds(cool_down);
        assert_eq!(call(&mut breaker, CallResult::Failure, now), None);
    }
    now += seconds(15);
    let answered = call(&mut breaker, CallResult::Success, now);
    assert_eq!(answered, Some(Transition::Closed));
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
    let canceled = breaker.record(probe, CallResult::Cancelled, seconds(99));
    assert_eq!(canceled, None);
    assert!(!breaker.is_closed(), "a cancelled call tells nothing");
    assert!(breaker.permit(seconds(99)).is_some());
}

#[test]
fn results_of_calls_from_before_a_transition_are_ignored() {
    let mut breaker = Breaker::default();
    let slow = breaker.permit(seconds(0)).unwrap();
    for _ in 0..FAILURES {
        call(&mut breaker, CallResult::Failure, seconds(0));
    }
    assert_eq!(breaker.record(slow, CallResult::Success, seconds(0)), None);
    assert!(!breaker.is_closed());
    let probe = breaker.permit(seconds(1)).unwrap();
    assert_eq!(breaker.record(slow, CallResult::Failure, seconds(1)), None);
    let closed = breaker.record(probe, CallResult::Success, seconds(1));
    assert_eq!(closed, Some(Transition::Closed));
    for _ in 0..FAILURES {
        assert_eq!(breaker.record(slow, CallResult::Failure, seconds(1)), None);
    }
    assert!(breaker.is_closed());
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Begin,
    End(usize, CallResult),
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let result = prop_oneof![
        1 => Just(CallResult::Success),
        3 => Just(CallResult::Failure),
        1 => Just(CallResult::Cancelled),
    ];
    let step = prop_oneof![
        3 => Just(Step::Begin),
        3 => (0..8_usize, result).prop_map(|(call, result)| Step::End(call, result)),
        1 => (0..20_000_u64).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 0..200)
}

proptest! {
    #[test]
    fn while_it_is_open_one_call_runs_at_most_and_a_probe_is_permitted_within_the_longest_cool_down(
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
                Step::End(call, result) if call < running.len() => {
                    let (permit, probe) = running.swap_remove(call);
                    let was_closed = breaker.is_closed();
                    let transition = breaker.record(permit, result, now);
                    let expected = match (was_closed, breaker.is_closed()) {
                        (true, false) => Some(Transition::Opened),
                        (false, true) => Some(Transition::Closed),
                        _ => None,
                    };
                    prop_assert_eq!(transition, expected);
                    prop_assert!(transition != Some(Transition::Closed) || probe);
                    probes -= usize::from(probe);
                }
                Step::End(..) => {}
                Step::Wait(ms) => now += Duration::from_millis(ms),
            }
        }
        if probes == 0 {
            prop_assert!(breaker.permit(now + MAX_COOL_DOWN).is_some());
        }
    }
}

#[test]
fn each_transition_is_logged_at_once() {
    let mut breaker = opened_at(seconds(0));
    let report = |latest, count| Some(TransitionReport { latest, count });
    assert_eq!(breaker.report(seconds(0)), report(Transition::Opened, 1));
    assert_eq!(breaker.report(seconds(0)), None);
    call(&mut breaker, CallResult::Success, seconds(1));
    assert_eq!(breaker.report(seconds(1)), report(Transition::Closed, 1));
}

#[test]
fn transitions_of_a_circuit_that_flaps_are_logged_together_and_the_last_one_is() {
    let mut breaker = Breaker::default();
    let mut logged = Vec::new();
    for second in 0..600 {
        let now = seconds(second);
        if breaker.is_closed() {
            for _ in 0..FAILURES {
                call(&mut breaker, CallResult::Failure, now);
            }
        } else {
            call(&mut breaker, CallResult::Success, now);
        }
        logged.extend(breaker.report(now));
    }
    assert!((60..=65).contains(&logged.len()), "{}", logged.len());
    let is_closed = breaker.is_closed();
    for second in 600..620 {
        if breaker.is_closed() {
            call(&mut breaker, CallResult::Success, seconds(second));
        }
        logged.extend(breaker.report(seconds(second)));
    }
    let last = logged.last().unwrap();
    assert_eq!(last.latest == Transition::Closed, is_closed);
    let transitions: u32 = logged.iter().map(|report| report.count).sum();
    assert_eq!(transitions, 600);
}
