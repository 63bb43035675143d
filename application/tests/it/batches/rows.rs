//! Rows of the tests' batches.

use application::FaultyRow;
use domain::account::Account;
use domain::batches::sheet::OwnColumn;
use domain::proofs::file::RequestedFiles;

use super::*;
pub(super) use crate::support::payments::{query, with_key};

/// Amount of the first ordinary row; the test's bank delivers it and those above it.
const FIRST: u64 = 100_000;
/// The bank knows no such payment.
pub(super) const UNKNOWN_PAYMENT: u64 = 40_400;
/// The bank knows the payment, and has no proof yet.
pub(super) const NOT_ISSUED: u64 = 40_402;
/// The bank says that it was returned.
pub(super) const RETURNED: u64 = 40_403;
/// The bank fails.
pub(super) const BANK_FAILS: u64 = 50_000;

/// A payment of which the test's bank has a proof; each number is another one.
pub(super) fn payment(number: u64) -> ProofQuery {
    query(FIRST + number)
}

/// A payment whose banks can't be inferred.
pub(super) fn unresolvable() -> ProofQuery {
    ProofQuery {
        account: Account::parse("5512345678").unwrap(),
        ..payment(0)
    }
}

/// Rows with these queries, in the lines from the second one on.
pub(super) fn rows(queries: impl IntoIterator<Item = ProofQuery>) -> Vec<DraftRow> {
    let numbered = (2..).zip(queries);
    numbered
        .map(|(line, query)| DraftRow {
            line,
            caller_id: Some(format!("factura-{line}")),
            cells: vec![format!("20/11/{line}")],
            lookup: None,
            is_called_answered: false,
            query: Ok(query),
        })
        .collect()
}

/// So many rows that can be looked up.
pub(super) fn ready(number: u64) -> Vec<DraftRow> {
    rows((0..number).map(payment))
}

/// A row that can't be read.
pub(super) fn faulty(line: u32) -> DraftRow {
    DraftRow {
        line,
        caller_id: None,
        cells: ["20/11/2026", "", "", "123", "'diez", "", "", "F-1", "nota"]
            .map(str::to_owned)
            .to_vec(),
        lookup: None,
        is_called_answered: false,
        query: Err(FaultyRow("monto".to_owned())),
    }
}

pub(super) fn draft(rows: Vec<DraftRow>) -> BatchDraft {
    BatchDraft {
        key: None,
        name: Some("Nómina".to_owned()),
        files: RequestedFiles::Xml,
        retry_for: RetryFor::DEFAULT,
        skips_answered: false,
        passed_over: Vec::new(),
        columns: OwnColumn::of_api(),
        rows,
    }
}

/// A draft whose rows are tried again for so many seconds.
pub(super) fn retried_for(seconds: u64, rows: Vec<DraftRow>) -> BatchDraft {
    BatchDraft {
        retry_for: RetryFor::from_secs(seconds).unwrap(),
        ..draft(rows)
    }
}
