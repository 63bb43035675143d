//! Circuit breaker of a bank: while its queries time out, new ones fail at once.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use ports::outbound::{BankAnswer, BankError, Clock};

use crate::sync::breaker::{
    Breaker, Call, CallResult, FAILURES, Guarded, Transition, TransitionReport,
};

/// Circuit breaker of a bank; concurrent calls share its state.
pub(super) struct BankBreaker {
    clock: Arc<dyn Clock>,
    breaker: Mutex<Breaker>,
}

/// The last queries all timed out; this one isn't sent.
#[derive(Debug, thiserror::Error)]
#[error("the bank's last lookups hung, and only one at a time is sent until it answers again")]
struct CircuitOpen;

impl BankBreaker {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            breaker: Mutex::default(),
        }
    }

    /// Makes a query, and records its result.
    ///
    /// # Errors
    /// The query's own error; [`BankError::Unavailable`] if the circuit is open.
    pub(super) async fn call(
        &self,
        lookup: impl Future<Output = Result<BankAnswer, BankError>>,
    ) -> Result<BankAnswer, BankError> {
        let Some(call) = self.begin_call() else {
            return Err(BankError::Unavailable {
                retry_after: self.breaker().rejected_for(self.clock.monotonic()),
                cause: Arc::new(CircuitOpen),
            });
        };
        let result = lookup.await;
        record(call, &result);
        result
    }

    /// Returns `true` while the circuit is open.
    pub(super) fn is_open(&self) -> bool {
        !self.breaker().is_closed()
    }
}

/// Records the result of a query. Any answer counts as a success, and a timeout as a failure. Queries that
/// our own limits refused aren't counted. Neither are queries that failed at once: they occupied no place for
/// long, and one caller's failing queries must not block the bank for others.
fn record(call: Call<'_, BankBreaker>, result: &Result<BankAnswer, BankError>) {
    match result {
        Err(error @ BankError::Timeout) => call.fail(error),
        Err(BankError::Unavailable { .. }) => drop(call),
        Err(BankError::Throttled { reason, .. }) if !reason.is_of_the_bank() => drop(call),
        Ok(_) | Err(BankError::Throttled { .. } | BankError::Protocol { .. }) => call.succeed(),
    }
}

impl Guarded for BankBreaker {
    const NAME: &'static str = "bank";

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        let breaker = self.breaker.lock();
        breaker.expect("nothing panics while it holds the breaker")
    }

    fn now(&self) -> Duration {
        self.clock.monotonic()
    }

    fn on_result(&self, _: CallResult, _: Option<Transition>, _: Duration) {}

    fn log(&self, report: TransitionReport, failure: Option<&str>) {
        let changes = report.count;
        match report.latest {
            Transition::Opened => tracing::warn!(
                failures = FAILURES,
                changes,
                failure,
                "the central bank doesn't answer: lookups fail at once, but for one at a time"
            ),
            Transition::Closed => tracing::info!(changes, "the central bank answers again"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use chrono::DateTime;
    use testkit::fakes::ManualClock;

    use super::*;

    async fn after_three(error: BankError) -> bool {
        let breaker = BankBreaker::new(Arc::new(ManualClock::at(DateTime::UNIX_EPOCH)));
        for _ in 0..3 {
            breaker.call(ready(Err(error.clone()))).await.unwrap_err();
        }
        breaker.is_open()
    }

    #[tokio::test]
    async fn lookups_that_hang_open_the_circuit_and_those_that_fail_at_once_do_not() {
        assert!(after_three(BankError::Timeout).await);
        let failed = BankError::Unavailable {
            retry_after: Duration::from_secs(30),
            cause: Arc::new(CircuitOpen),
        };
        assert!(!after_three(failed).await);
    }
}
