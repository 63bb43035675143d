//! Metrics of the use cases: their names and labels. The composition root describes and exposes them.

use std::collections::HashSet;
use std::time::Duration;

use domain::batches::BatchState;
use domain::keys::Environment;
use domain::lookups::LookupState;
use domain::seals::Verdict;
use domain::webhooks::{AttemptResult, SendFailure};
use metrics::{counter, histogram};
use ports::outbound::{
    ArchivedProof, BankAnswer, BankError, ClaimEnd, ImportedProof, LookupChange, LookupFacts,
    ReceiverAnswer,
};

/// Records a query to a bank.
pub(crate) fn bank_queried(
    side: Environment,
    result: &Result<BankAnswer, BankError>,
    duration: Duration,
) {
    let outcome = match result {
        Ok(BankAnswer::Issued(_)) => "issued",
        Ok(BankAnswer::Several(_)) => "several",
        Ok(BankAnswer::NotIssued(_)) => "not_issued",
        Ok(BankAnswer::NotFound) => "not_found",
        Err(BankError::Protocol { .. }) => "protocol_error",
        Err(BankError::Unavailable { .. }) => "unavailable",
        Err(BankError::Throttled { .. }) => "throttled",
        Err(BankError::Timeout) => "timeout",
    };
    let side = side.name();
    histogram!("cep_bank_lookup_duration_seconds", "side" => side, "outcome" => outcome)
        .record(duration);
}

/// Counts the check of a seal of a proof that the bank delivered.
pub(crate) fn seal_checked(side: Environment, verdict: Verdict) {
    counter!("cep_seals_total", "side" => side.name(), "verdict" => verdict.name()).increment(1);
}

/// Counts a read of the archive.
pub(crate) fn archive_read<E>(read: &Result<Vec<ArchivedProof>, E>) {
    let result = match read {
        Ok(found) if found.is_empty() => "miss",
        Ok(_) => "hit",
        Err(_) => "failed",
    };
    counter!("cep_proof_archive_reads_total", "result" => result).increment(1);
}

/// Counts a write to the archive, of this many bytes.
pub(crate) fn archive_written<E>(written: &Result<(), E>, bytes: usize) {
    let result = if written.is_ok() { "ok" } else { "failed" };
    counter!("cep_proof_archive_writes_total", "result" => result).increment(1);
    if written.is_ok() {
        counter!("cep_proof_archive_written_bytes_total").increment(count(bytes));
    }
}

/// Counts stored lookups that were created.
pub(crate) fn lookups_created(lookups: usize) {
    counter!("cep_lookups_created_total").increment(count(lookups));
}

/// Counts stored lookups that ended.
pub(crate) fn lookups_ended(state: LookupState, lookups: usize) {
    counter!("cep_lookups_ended_total", "state" => state.name()).increment(count(lookups));
}

/// Counts the attempt of a claim, and the end of its lookup.
pub(crate) fn claim_ended(end: &ClaimEnd) {
    if let Some(attempt) = end.attempt {
        let outcome = attempt.outcome.name();
        counter!("cep_lookup_attempts_total", "outcome" => outcome).increment(1);
    }
    match &end.change {
        LookupChange::Wait { .. } => {}
        LookupChange::Deliver { .. } => lookups_ended(LookupState::Delivered, 1),
        LookupChange::End { state, .. } => lookups_ended(*state, 1),
    }
}

/// Counts a claim of a lookup that ended or went to another process.
pub(crate) fn lease_lost() {
    counter!("cep_lookup_leases_lost_total").increment(1);
}

/// Counts a batch that was created.
pub(crate) fn batch_created() {
    counter!("cep_batches_created_total").increment(1);
}

/// Counts a batch that ended.
pub(crate) fn batch_ended(state: BatchState) {
    counter!("cep_batches_ended_total", "state" => state.name()).increment(1);
}

/// Records an attempt to send a webhook.
pub(crate) fn webhook_sent(sent: &Result<ReceiverAnswer, SendFailure>, duration: Duration) {
    let result = match sent {
        Ok(answer) if AttemptResult::Answered(answer.status).is_success() => "delivered",
        Ok(_) => "refused",
        Err(failure) => failure.name(),
    };
    histogram!("cep_webhook_attempt_duration_seconds", "result" => result).record(duration);
}

/// Counts the lookups that an import of proofs created and delivered.
pub(crate) fn proofs_imported(proofs: &[ImportedProof], delivered: &[LookupFacts]) {
    let rows: HashSet<_> = proofs.iter().map(|proof| proof.row.facts.id).collect();
    let created = delivered.iter().filter(|facts| rows.contains(&facts.id));
    lookups_created(created.count());
    lookups_ended(LookupState::Delivered, delivered.len());
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
