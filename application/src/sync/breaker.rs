//! Circuit breaker with the states closed, open and half-open.

use std::time::Duration;

use transition_log::TransitionLog;

mod transition_log;

/// Number of consecutive failures that open the circuit. More than one, because a single failure may be
/// transient, and opening is expensive: every key is read from the store again, and parts of a budget stay
/// unused. Few, because each failing call may delay a request by its timeout (200 ms).
pub(super) const FAILURES: u32 = 3;
/// First cool-down; it doubles with each failed probe.
pub(super) const MIN_COOL_DOWN: Duration = Duration::from_secs(1);
/// Maximum cool-down.
pub(super) const MAX_COOL_DOWN: Duration = Duration::from_secs(15);

/// Circuit breaker. Closed while calls succeed; opens after [`FAILURES`] consecutive failures, and then
/// rejects calls. After a cool-down it is half-open: a single call is permitted as a probe, whose success
/// closes it. Times are monotonic.
#[derive(Debug)]
pub(super) struct Breaker {
    state: State,
    /// Incremented at each transition, so that results of earlier calls are ignored.
    generation: u64,
    log: TransitionLog,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Closed {
        failures: u32,
    },
    Open {
        until: Duration,
        cool_down: Duration,
    },
    HalfOpen {
        cool_down: Duration,
    },
}

/// Permission for one call, whose result has to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Permit {
    generation: u64,
}

/// Result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallResult {
    /// The service answered.
    Success,
    /// The service failed.
    Failure,
    /// The call was cancelled or never made.
    Cancelled,
}

/// Change of state that affects callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transition {
    /// The circuit opened: calls are rejected, except for single probes.
    Opened,
    /// The circuit closed: all calls are permitted.
    Closed,
}

/// Transitions to log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TransitionReport {
    /// The last transition, into the current state.
    pub(super) latest: Transition,
    /// Number of transitions since the last report.
    pub(super) count: u32,
}

impl Default for Breaker {
    fn default() -> Self {
        Self {
            state: State::Closed { failures: 0 },
            generation: 0,
            log: TransitionLog::default(),
        }
    }
}

impl Breaker {
    /// Returns `true` while all calls are permitted.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed { .. })
    }

    /// Permits a call; `None` while calls are rejected.
    pub(super) fn permit(&mut self, now: Duration) -> Option<Permit> {
        match self.state {
            State::Closed { .. } => {}
            State::Open { until, cool_down } if until <= now => {
                self.state = State::HalfOpen { cool_down };
            }
            State::Open { .. } | State::HalfOpen { .. } => return None,
        }
        Some(Permit {
            generation: self.generation,
        })
    }

    /// Time for which calls will be rejected; zero if one is permitted. During a probe, whose end is unknown,
    /// the current cool-down.
    pub(super) fn rejected_for(&self, now: Duration) -> Duration {
        match self.state {
            State::Closed { .. } => Duration::ZERO,
            State::Open { until, .. } => until.saturating_sub(now),
            State::HalfOpen { cool_down } => cool_down,
        }
    }

    /// The transitions to log now: normally each separately, but several together if they are frequent. To be
    /// called after each call of the service.
    pub(super) fn report(&mut self, now: Duration) -> Option<TransitionReport> {
        let count = self.log.take(now)?;
        let latest = if self.is_closed() {
            Transition::Closed
        } else {
            Transition::Opened
        };
        Some(TransitionReport { latest, count })
    }

    /// Records the result of a call; returns the transition if there was one.
    pub(super) fn record(
        &mut self,
        permit: Permit,
        result: CallResult,
        now: Duration,
    ) -> Option<Transition> {
        let transition = self.apply(permit, result, now);
        if transition.is_some() {
            self.log.add();
        }
        transition
    }

    fn apply(&mut self, permit: Permit, result: CallResult, now: Duration) -> Option<Transition> {
        if permit.generation != self.generation {
            return None;
        }
        match (self.state, result) {
            (State::Closed { .. }, CallResult::Success) => {
                self.state = State::Closed { failures: 0 };
                None
            }
            (State::Closed { failures }, CallResult::Failure) if failures + 1 < FAILURES => {
                let failures = failures + 1;
                self.state = State::Closed { failures };
                None
            }
            (State::Closed { .. }, CallResult::Failure) => {
                self.open(MIN_COOL_DOWN, now);
                Some(Transition::Opened)
            }
            (State::HalfOpen { .. }, CallResult::Success) => {
                self.generation += 1;
                self.state = State::Closed { failures: 0 };
                Some(Transition::Closed)
            }
            (State::HalfOpen { cool_down }, CallResult::Failure) => {
                self.open((cool_down * 2).min(MAX_COOL_DOWN), now);
                None
            }
            // The probe had no result, so the next call may be one.
            (State::HalfOpen { cool_down }, CallResult::Cancelled) => {
                let until = now;
                self.state = State::Open { until, cool_down };
                None
            }
            (State::Closed { .. }, CallResult::Cancelled) | (State::Open { .. }, _) => None,
        }
    }

    fn open(&mut self, cool_down: Duration, now: Duration) {
        self.generation += 1;
        self.state = State::Open {
            until: now + cool_down,
            cool_down,
        };
    }
}

#[cfg(test)]
mod tests;
