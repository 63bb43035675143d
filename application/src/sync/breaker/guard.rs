//! Calls of a service with a circuit breaker.

use std::fmt;
use std::sync::MutexGuard;
use std::time::Duration;

use super::{Breaker, CallResult, Permit, Transition, TransitionReport};

/// A service with a circuit breaker.
pub(crate) trait Guarded {
    /// Name of the service in log lines.
    const NAME: &'static str;

    /// Locks the breaker.
    fn breaker(&self) -> MutexGuard<'_, Breaker>;

    /// Current time on the breaker's monotonic clock.
    fn now(&self) -> Duration;

    /// Handles the result of a call. The breaker is locked, so this completes before others see the new
    /// state.
    fn on_result(&self, result: CallResult, transition: Option<Transition>, now: Duration);

    /// Logs transitions; `failure` is the error of the latest call, if it failed.
    fn log(&self, report: TransitionReport, failure: Option<&str>);

    /// Permits a call; `None` while the circuit is open.
    fn begin_call(&self) -> Option<Call<'_, Self>> {
        let permit = self.breaker().permit(self.now())?;
        Some(Call {
            service: self,
            permit,
            result: CallResult::Cancelled,
            failure: None,
        })
    }
}

/// A permitted call. Its result is recorded when it is dropped, even if the caller is cancelled.
pub(crate) struct Call<'a, S: Guarded + ?Sized> {
    service: &'a S,
    permit: Permit,
    result: CallResult,
    failure: Option<String>,
}

impl<S: Guarded + ?Sized> Call<'_, S> {
    /// Ends the call as successful.
    pub(crate) fn succeed(mut self) {
        self.result = CallResult::Success;
    }

    /// Ends the call as failed.
    pub(crate) fn fail(mut self, error: &impl fmt::Display) {
        tracing::debug!(%error, "the shared {} failed", S::NAME);
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

impl<S: Guarded + ?Sized> Drop for Call<'_, S> {
    fn drop(&mut self) {
        let now = self.service.now();
        let report = {
            let mut breaker = self.service.breaker();
            let transition = breaker.record(self.permit, self.result, now);
            self.service.on_result(self.result, transition, now);
            breaker.report(now)
        };
        if let Some(report) = report {
            self.service.log(report, self.failure.as_deref());
        }
    }
}
