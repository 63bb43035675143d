//! Circuit breaker of a bank: while its queries time out, new ones fail at once.

use std::sync::Arc;

use ports::outbound::{BankAnswer, BankError, Clock};

use crate::sync::circuit::{Call, Circuit, Service};

const BANK: Service = Service {
    name: "bank",
    fails: "the central bank doesn't answer: lookups fail at once, but for one at a time",
    answers: "the central bank answers again",
};

/// Circuit breaker of a bank; concurrent calls share its state.
pub(super) struct BankBreaker(Circuit);

/// The last queries all timed out; this one isn't sent.
#[derive(Debug, thiserror::Error)]
#[error("the bank's last lookups hung, and only one at a time is sent until it answers again")]
struct CircuitOpen;

impl BankBreaker {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self(Circuit::new(BANK, clock))
    }

    /// Makes a query, and records its result.
    ///
    /// # Errors
    /// The query's own error; [`BankError::Unavailable`] if the circuit is open.
    pub(super) async fn call(
        &self,
        lookup: impl Future<Output = Result<BankAnswer, BankError>>,
    ) -> Result<BankAnswer, BankError> {
        let Some(call) = self.0.begin_call() else {
            return Err(BankError::Unavailable {
                retry_after: self.0.rejected_for(),
                cause: Arc::new(CircuitOpen),
            });
        };
        let result = lookup.await;
        record(call, &result);
        result
    }

    /// Returns `true` while the circuit is open.
    pub(super) fn is_open(&self) -> bool {
        self.0.is_open()
    }
}

/// Records the result of a query. Any answer counts as a success, and a timeout as a failure. Queries that
/// our own limits refused aren't counted. Neither are queries that failed at once: they occupied no place for
/// long, and one caller's failing queries must not block the bank for others.
fn record(call: Call<'_>, result: &Result<BankAnswer, BankError>) {
    match result {
        Err(error @ BankError::Timeout) => call.fail(error),
        Err(BankError::Unavailable { .. }) => drop(call),
        Err(BankError::Throttled { reason, .. }) if !reason.is_of_the_bank() => drop(call),
        Ok(_) | Err(BankError::Throttled { .. } | BankError::Protocol { .. }) => call.succeed(),
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::time::Duration;

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
