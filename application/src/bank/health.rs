//! Health of the banks, as observed by this process.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crate::insights::{BankHealth, BankState};
use crate::metrics;
use domain::keys::Environment;
use domain::latency::Latencies;
use domain::pacing::BankBudget;
use ports::outbound::{BankAnswer, BankError, Clock};

use super::breaker::BankBreaker;

/// Number of minutes that are kept.
const MINUTES: u64 = 60;
/// Consecutive failures after which a bank counts as degraded. A single one may be due to the transfer, for
/// example an unknown kind of page.
const DEGRADED_AFTER: u64 = 2;
/// Consecutive failures after which a bank counts as down.
const DOWN_AFTER: u64 = 3;
/// Share of failures that is tolerated: one in this number of lookups.
const TOLERATED_ONE_IN: u64 = 5;

/// Records the results of the last hour's lookups of each bank.
pub struct BankMonitor {
    clock: Arc<dyn Clock>,
    /// Circuit breaker of the portal. The sandbox has none, because tests make it fail on purpose.
    breaker: BankBreaker,
    live: Mutex<History>,
    test: Mutex<History>,
}

impl BankMonitor {
    /// Creates a monitor without recorded lookups.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            breaker: BankBreaker::new(Arc::clone(&clock)),
            clock,
            live: Mutex::default(),
            test: Mutex::default(),
        }
    }

    /// Makes a lookup and records its result; fails at once while the circuit is open. A lookup that is
    /// cancelled, because no caller waits for it any more, isn't recorded.
    pub(crate) async fn look_up(
        &self,
        environment: Environment,
        lookup: impl Future<Output = Result<BankAnswer, BankError>>,
    ) -> Result<BankAnswer, BankError> {
        let lookup = self.record(environment, lookup);
        match environment {
            Environment::Live => self.breaker.call(lookup).await,
            Environment::Test => lookup.await,
        }
    }

    /// Returns `true` while queries of the portal fail at once.
    pub fn is_circuit_open(&self) -> bool {
        self.breaker.is_open()
    }

    async fn record(
        &self,
        environment: Environment,
        lookup: impl Future<Output = Result<BankAnswer, BankError>>,
    ) -> Result<BankAnswer, BankError> {
        let started = self.clock.monotonic();
        let result = lookup.await;
        let ended = self.clock.monotonic();
        let duration = ended.saturating_sub(started);
        metrics::bank_queried(environment, &result, duration);
        if let Some(outcome) = LookupOutcome::of(&result) {
            self.history(environment)
                .add(minute(ended), outcome, duration);
        }
        result
    }

    /// Health of a bank; `budget` is the state of its query budget.
    pub fn health(&self, environment: Environment, budget: Option<BankBudget>) -> BankHealth {
        let now = minute(self.clock.monotonic());
        let hour = self.history(environment).last_hour(now);
        BankHealth {
            state: state(&hour, budget.as_ref()),
            lookups: hour.lookups.total(),
            success_rate: hour.lookups.success_rate(),
            latency: hour.lookups.latencies.percentiles(),
            budget,
        }
    }

    fn history(&self, environment: Environment) -> MutexGuard<'_, History> {
        let history = match environment {
            Environment::Live => &self.live,
            Environment::Test => &self.test,
        };
        history
            .lock()
            .expect("nothing panics while it holds a history")
    }
}

fn minute(monotonic: Duration) -> u64 {
    monotonic.as_secs() / 60
}

/// Outcome of a lookup with regard to the bank's health.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LookupOutcome {
    /// The bank's answer was understood, even if it knows no such transfer.
    Answered,
    /// The bank didn't answer, throttled us, or its answer wasn't understood.
    Failed,
}

impl LookupOutcome {
    /// The outcome; `None` for a query that wasn't sent because of our own limits.
    fn of(result: &Result<BankAnswer, BankError>) -> Option<Self> {
        match result {
            Ok(
                BankAnswer::Issued(_)
                | BankAnswer::Several(_)
                | BankAnswer::NotIssued(_)
                | BankAnswer::NotFound,
            ) => Some(Self::Answered),
            Err(
                BankError::Protocol { .. } | BankError::Unavailable { .. } | BankError::Timeout,
            ) => Some(Self::Failed),
            Err(BankError::Throttled { reason, .. }) => {
                reason.is_of_the_bank().then_some(Self::Failed)
            }
        }
    }
}

/// Lookups of a bank by minute.
#[derive(Default)]
struct History {
    /// Minutes with lookups, oldest first.
    minutes: VecDeque<(u64, Lookups)>,
    failures_in_a_row: u64,
}

/// Counts and latencies of lookups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lookups {
    answered: u64,
    failed: u64,
    latencies: Latencies,
}

/// Counts of the last hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hour {
    lookups: Lookups,
    /// Failures since the last success.
    failures_in_a_row: u64,
}

impl History {
    fn add(&mut self, minute: u64, outcome: LookupOutcome, duration: Duration) {
        self.forget_before(minute);
        if self.minutes.back().is_none_or(|(last, _)| *last < minute) {
            self.minutes.push_back((minute, Lookups::default()));
        }
        let Some((_, lookups)) = self.minutes.back_mut() else {
            return;
        };
        lookups.latencies.record(duration);
        match outcome {
            LookupOutcome::Answered => {
                lookups.answered += 1;
                self.failures_in_a_row = 0;
            }
            LookupOutcome::Failed => {
                lookups.failed += 1;
                self.failures_in_a_row += 1;
            }
        }
    }

    /// Counts of the current minute and the 59 before it.
    fn last_hour(&mut self, now: u64) -> Hour {
        self.forget_before(now);
        let mut lookups = Lookups::default();
        for (_, minute) in &self.minutes {
            lookups.answered += minute.answered;
            lookups.failed += minute.failed;
            lookups.latencies.add(&minute.latencies);
        }
        Hour {
            // Limited to the failures that are kept, since older ones don't count.
            failures_in_a_row: self.failures_in_a_row.min(lookups.failed),
            lookups,
        }
    }

    fn forget_before(&mut self, now: u64) {
        while let Some((oldest, _)) = self.minutes.front() {
            if oldest + MINUTES > now {
                break;
            }
            self.minutes.pop_front();
        }
    }
}

impl Lookups {
    fn total(&self) -> u64 {
        self.answered + self.failed
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a share needs no more than 15 digits"
    )]
    fn success_rate(&self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| self.answered as f64 / total as f64)
    }
}

/// State of a bank by its last hour:
///
/// - paused during a back-off, whatever it answered before;
/// - unknown without a lookup;
/// - down once the last three lookups failed;
/// - degraded once the last two failed, or more than one in five of the hour's;
/// - operational otherwise.
fn state(hour: &Hour, budget: Option<&BankBudget>) -> BankState {
    let total = hour.lookups.total();
    if budget.is_some_and(|budget| budget.paused_for.is_some()) {
        return BankState::Paused;
    }
    if total == 0 {
        return BankState::Unknown;
    }
    if hour.failures_in_a_row >= DOWN_AFTER {
        return BankState::Down;
    }
    if hour.failures_in_a_row >= DEGRADED_AFTER || hour.lookups.failed * TOLERATED_ONE_IN > total {
        return BankState::Degraded;
    }
    BankState::Operational
}

#[cfg(test)]
mod tests;
