//! Metrics of turns at the bank.

use std::time::Duration;

use domain::pacing::{LookupClass, Throttled};
use metrics::{counter, histogram};
use ports::outbound::AcquireError;

/// Counts a turn that was asked for, and records the wait for one that was granted. A caller that
/// stopped waiting isn't counted.
pub(crate) fn turn_ended(class: LookupClass, turn: Result<(), &AcquireError>, waited: Duration) {
    let result = match turn {
        Ok(()) => "granted",
        Err(AcquireError::Refused(Throttled::BudgetUsedUp { .. })) => "budget_used_up",
        Err(AcquireError::Refused(Throttled::BackingOff { .. })) => "backing_off",
        Err(AcquireError::Refused(Throttled::QueueFull { .. })) => "queue_full",
        Err(AcquireError::Failed(_)) => "failed",
    };
    let class = class.name();
    counter!("cep_bank_turns_total", "class" => class, "result" => result).increment(1);
    if turn.is_ok() {
        histogram!("cep_bank_turn_wait_seconds", "class" => class).record(waited);
    }
}
