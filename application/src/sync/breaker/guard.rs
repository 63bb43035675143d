//! Guard of one call behind a circuit breaker.

use std::fmt;
use std::sync::MutexGuard;
use std::time::Duration;

use super::{Breaker, CallResult, Permit, Transition, TransitionReport};

/// A service whose calls a circuit breaker guards.
pub(crate) trait Guarded {
    /// The service's name in the log.
    const NAME: &'static str;

    /// The breaker, locked.
    fn breaker(&self) -> MutexGuard<'_, Breaker>;

    /// The time now, on the clock of the breaker.
    fn now(&self) -> Duration;

    /// Handles the result of a call. Called with the breaker locked, so before anybody sees the new
    /// state.
    fn on_result(&self, result: CallResult, transition: Option<Transition>, now: Duration);

    /// Logs transitions; `failure` is what the latest call failed with, if it did.
    fn log(&self, report: TransitionReport, failure: Option<&str>);

    /// Permits one call; `None` while the circuit is open.
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

/// One call. Its result is recorded when it is dropped, also when its caller is cancelled.
pub(crate) struct Call<'a, S: Guarded + ?Sized> {
    service: &'a S,
    permit: Permit,
    result: CallResult,
    failure: Option<String>,
}

impl<S: Guarded + ?Sized> Call<'_, S> {
    /// Ends the call: the service answered.
    pub(crate) fn succeed(mut self) {
        self.result = CallResult::Success;
    }

    /// Ends the call: the service failed.
    pub(crate) fn fail(mut self, error: &impl fmt::Display) {
        tracing::debug!(%error, "the shared {} failed", S::NAME);
        self.result = CallResult::Failure;
        self.failure = Some(error.to_string());
    }

    /// Ends the call with its result, and returns that.
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
