//! How the banks do, as far as this process sees it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use domain::key::Environment;
use domain::latency::Latencies;
use domain::pacing::{BankBudget, ThrottleReason};
use ports::inbound::{BankHealth, BankState};
use ports::outbound::{BankAnswer, BankError, Clock};

/// Minutes that are remembered: an hour.
const MINUTES: u64 = 60;
/// Failures in a row that tell trouble which has just begun. One alone may be the transfer's fault:
/// a page that nobody has seen before.
const TROUBLE: u64 = 2;
/// Failures in a row that tell that nothing works.
const OUTAGE: u64 = 3;
/// One failure in so many lookups is nothing to speak of.
const TOLERATED_ONE_IN: u64 = 5;

/// Remembers how the lookups of the last hour ended, bank by bank.
pub struct BankWatch {
    clock: Arc<dyn Clock>,
    live: Mutex<Record>,
    test: Mutex<Record>,
}

impl BankWatch {
    /// A watch that has seen nothing yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            live: Mutex::default(),
            test: Mutex::default(),
        }
    }

    /// Waits for the end of a lookup and remembers it. One that is given up before its end, because
    /// nobody waits for it any more, says nothing about the bank.
    pub(crate) async fn watching(
        &self,
        environment: Environment,
        lookup: impl Future<Output = Result<BankAnswer, BankError>>,
    ) -> Result<BankAnswer, BankError> {
        let started = self.clock.monotonic();
        let result = lookup.await;
        if let Some(ending) = Ending::of(&result) {
            let ended = self.clock.monotonic();
            let duration = ended.saturating_sub(started);
            self.record(environment)
                .add(minute(ended), ending, duration);
        }
        result
    }

    /// How a bank does that has this budget.
    pub fn health(&self, environment: Environment, budget: Option<BankBudget>) -> BankHealth {
        let now = minute(self.clock.monotonic());
        let hour = self.record(environment).last_hour(now);
        BankHealth {
            state: state(&hour, budget.as_ref()),
            lookups: hour.lookups.total(),
            success_rate: hour.lookups.success_rate(),
            latency: hour.lookups.latencies.percentiles(),
            budget,
        }
    }

    fn record(&self, environment: Environment) -> MutexGuard<'_, Record> {
        let record = match environment {
            Environment::Live => &self.live,
            Environment::Test => &self.test,
        };
        record
            .lock()
            .expect("nothing panics while it holds a record")
    }
}

fn minute(monotonic: Duration) -> u64 {
    monotonic.as_secs() / 60
}

/// How a lookup ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// The bank said something that we understand, be it that it knows nothing.
    Answered,
    /// It didn't, or it wants to be left alone.
    Failed,
}

impl Ending {
    /// `None` for a lookup that never reached the bank, because we held it back ourselves.
    fn of(result: &Result<BankAnswer, BankError>) -> Option<Self> {
        match result {
            Ok(BankAnswer::Issued(_) | BankAnswer::NotIssued(_) | BankAnswer::NotFound) => {
                Some(Self::Answered)
            }
            Err(
                BankError::Protocol { .. } | BankError::Unavailable { .. } | BankError::Timeout,
            ) => Some(Self::Failed),
            Err(BankError::Throttled { reason, .. }) => match reason {
                ThrottleReason::CaptchaPage
                | ThrottleReason::TooManyQueriesPage
                | ThrottleReason::TooManyRequests => Some(Self::Failed),
                ThrottleReason::BackingOff
                | ThrottleReason::BudgetUsedUp
                | ThrottleReason::TooManyLookups => None,
            },
        }
    }
}

/// The lookups of a bank, minute by minute.
#[derive(Default)]
struct Record {
    /// The minutes in which there were any, oldest first.
    minutes: VecDeque<(u64, Lookups)>,
    failures_in_a_row: u64,
}

/// Lookups added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lookups {
    answered: u64,
    failed: u64,
    latencies: Latencies,
}

/// The last hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hour {
    lookups: Lookups,
    /// Failures since the last answer.
    failures_in_a_row: u64,
}

impl Record {
    fn add(&mut self, minute: u64, ending: Ending, duration: Duration) {
        self.forget_before(minute);
        if self.minutes.back().is_none_or(|(last, _)| *last < minute) {
            self.minutes.push_back((minute, Lookups::default()));
        }
        let Some((_, lookups)) = self.minutes.back_mut() else {
            return;
        };
        lookups.latencies.record(duration);
        match ending {
            Ending::Answered => {
                lookups.answered += 1;
                self.failures_in_a_row = 0;
            }
            Ending::Failed => {
                lookups.failed += 1;
                self.failures_in_a_row += 1;
            }
        }
    }

    /// The current minute and the 59 before it.
    fn last_hour(&mut self, now: u64) -> Hour {
        self.forget_before(now);
        let mut lookups = Lookups::default();
        for (_, minute) in &self.minutes {
            lookups.answered += minute.answered;
            lookups.failed += minute.failed;
            lookups.latencies.add(&minute.latencies);
        }
        Hour {
            // Older ones are forgotten, and the hour's are the last ones.
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

/// A bank's state, out of its last hour:
///
/// - paused while it is left alone, whatever it answered before;
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
    if hour.failures_in_a_row >= OUTAGE {
        return BankState::Down;
    }
    if hour.failures_in_a_row >= TROUBLE || hour.lookups.failed * TOLERATED_ONE_IN > total {
        return BankState::Degraded;
    }
    BankState::Operational
}

#[cfg(test)]
mod tests;
