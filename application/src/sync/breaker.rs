//! Circuit breaker: closed, open, half-open.

use std::time::Duration;

use transition_log::TransitionLog;

mod guard;
mod transition_log;

pub(crate) use guard::{Call, Guarded};

/// Failures in a row that open the circuit. One alone may be a hiccup, and opening has its price:
/// every key is read from the store again afterwards, and shares of a budget go unused. It isn't
/// many either, for each failure may cost a request as long as a call may take (200 ms).
pub(crate) const FAILURES: u32 = 3;
/// The first cool-down; each probe that fails doubles it.
pub(crate) const MIN_COOL_DOWN: Duration = Duration::from_secs(1);
/// The longest cool-down.
pub(crate) const MAX_COOL_DOWN: Duration = Duration::from_secs(15);

/// Circuit breaker. Closed while calls succeed. Opens after [`FAILURES`] failures in a row: calls
/// are rejected. After a cool-down it is half-open: one call at a time probes, and a success closes
/// it. Times are those of a monotonic clock.
#[derive(Debug)]
pub(crate) struct Breaker {
    state: State,
    /// Incremented at each transition, so that results of calls from before it are ignored.
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

/// Permission to make one call. Its result is to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Permit {
    generation: u64,
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallResult {
    /// The service answered.
    Success,
    /// The service failed.
    Failure,
    /// The call was cancelled before its end, or never made.
    Cancelled,
}

/// A change of state that callers notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transition {
    /// To open: calls are rejected, but for one probe at a time.
    Opened,
    /// To closed: all calls are permitted.
    Closed,
}

/// Transitions to write to the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TransitionReport {
    /// The transition to the present state.
    pub(crate) latest: Transition,
    /// Number of transitions since the last report.
    pub(crate) count: u32,
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
    /// Returns true while all calls are permitted.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed { .. })
    }

    /// Permits one call; `None` while calls are rejected.
    pub(crate) fn permit(&mut self, now: Duration) -> Option<Permit> {
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

    /// Time for which calls are rejected; zero when one is permitted. An open end is that of a probe
    /// under way: the next cool-down is told.
    pub(crate) fn rejected_for(&self, now: Duration) -> Duration {
        match self.state {
            State::Closed { .. } => Duration::ZERO,
            State::Open { until, .. } => until.saturating_sub(now),
            State::HalfOpen { cool_down } => cool_down,
        }
    }

    /// The transitions to log now: each at once, but several together while the circuit flaps. To be
    /// called after each call of the service.
    pub(crate) fn report(&mut self, now: Duration) -> Option<TransitionReport> {
        let count = self.log.take(now)?;
        let latest = if self.is_closed() {
            Transition::Closed
        } else {
            Transition::Opened
        };
        Some(TransitionReport { latest, count })
    }

    /// Records the result of a call.
    pub(crate) fn record(
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
            // Nothing was learnt: the next caller may probe at once.
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
