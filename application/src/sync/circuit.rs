//! Calls of a service with a circuit breaker.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use ports::outbound::Clock;

use super::breaker::{Breaker, CallResult, FAILURES, Permit, Transition};

/// Circuit breaker of a service that concurrent callers share.
pub(crate) struct Circuit {
    service: Service,
    clock: Arc<dyn Clock>,
    breaker: Mutex<Breaker>,
    on_failure: Box<dyn Fn(Duration) + Send + Sync>,
}

/// Texts about a service in the log.
#[derive(Clone, Copy)]
pub(crate) struct Service {
    pub(crate) name: &'static str,
    /// Logged when the circuit opens.
    pub(crate) fails: &'static str,
    /// Logged when the circuit closes.
    pub(crate) answers: &'static str,
}

impl Circuit {
    pub(crate) fn new(service: Service, clock: Arc<dyn Clock>) -> Self {
        Self {
            service,
            clock,
            breaker: Mutex::default(),
            on_failure: Box::new(|_| ()),
        }
    }

    /// Has `action` called with the time of each failed call, before others see the new state.
    pub(crate) fn on_failure(self, action: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        Self {
            on_failure: Box::new(action),
            ..self
        }
    }

    /// Permits a call; `None` while the circuit is open.
    pub(crate) fn begin_call(&self) -> Option<Call<'_>> {
        let permit = self.breaker().permit(self.clock.monotonic())?;
        Some(Call {
            circuit: self,
            permit,
            result: CallResult::Cancelled,
            failure: None,
        })
    }

    /// Returns `true` unless all calls are permitted.
    pub(crate) fn is_open(&self) -> bool {
        !self.breaker().is_closed()
    }

    /// Time for which calls will be rejected; zero if one is permitted.
    pub(crate) fn rejected_for(&self) -> Duration {
        self.breaker().rejected_for(self.clock.monotonic())
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        let breaker = self.breaker.lock();
        breaker.expect("nothing panics while it holds the breaker")
    }
}

/// A permitted call. Its result is recorded when it is dropped, even if the caller is cancelled.
pub(crate) struct Call<'a> {
    circuit: &'a Circuit,
    permit: Permit,
    result: CallResult,
    failure: Option<String>,
}

impl Call<'_> {
    /// Ends the call as successful.
    pub(crate) fn succeed(mut self) {
        self.result = CallResult::Success;
    }

    /// Ends the call as failed.
    pub(crate) fn fail(mut self, error: &impl fmt::Display) {
        tracing::debug!(%error, "a call of the {} failed", self.circuit.service.name);
        self.result = CallResult::Failure;
        self.failure = Some(error.to_string());
    }

    /// Ends the call according to its result, and returns the result.
    pub(crate) fn end<T, E: fmt::Display>(self, result: Result<T, E>) -> Result<T, E> {
        match &result {
            Ok(_) => self.succeed(),
            Err(error) => self.fail(error),
        }
        result
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        let Circuit { service, clock, .. } = self.circuit;
        let now = clock.monotonic();
        let report = {
            let mut breaker = self.circuit.breaker();
            breaker.record(self.permit, self.result, now);
            if self.result == CallResult::Failure {
                (self.circuit.on_failure)(now);
            }
            breaker.report(now)
        };
        let Some(report) = report else {
            return;
        };
        let (changes, error) = (report.count, self.failure.as_deref());
        match report.latest {
            Transition::Opened => {
                tracing::warn!(failures = FAILURES, changes, error, "{}", service.fails);
            }
            Transition::Closed => tracing::info!(changes, "{}", service.answers),
        }
    }
}
