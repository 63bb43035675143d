//! Rows of the tests' batches.

use domain::account::Account;
use domain::amount::Amount;
use domain::calendar::parse_date;
use domain::file::RequestedFiles;
use domain::lookup::RetryFor;
use domain::query::ProofQuery;
use domain::tracking_key::TrackingKey;
use ports::inbound::{BatchDraft, DraftRow, FaultyRow};

/// Tracking key of every transfer here.
pub(crate) const TRACKING_KEY: &str = "MBAN01002611180000000001";
/// Amount of the first ordinary row; the test's bank delivers it and those above it.
const FIRST: u64 = 100_000;
/// The bank knows no such payment.
pub(crate) const UNKNOWN_PAYMENT: u64 = 40_400;
/// The bank knows the payment, and has no proof yet.
pub(crate) const NOT_ISSUED: u64 = 40_402;
/// The bank fails.
pub(crate) const BANK_FAILS: u64 = 50_000;

/// A payment of two days ago.
pub(crate) fn query(centavos: u64) -> ProofQuery {
    ProofQuery {
        date: parse_date("2026-11-18").unwrap(),
        tracking_key: TrackingKey::parse(TRACKING_KEY).unwrap(),
        account: Account::parse("002010077777777771").unwrap(),
        amount: Amount::from_centavos(centavos).unwrap(),
        issuer: None,
        receiver: None,
    }
}

/// A payment of which the test's bank has a proof; each number is another one.
pub(crate) fn payment(number: u64) -> ProofQuery {
    query(FIRST + number)
}

/// A payment whose banks can't be inferred.
pub(crate) fn unresolvable() -> ProofQuery {
    ProofQuery {
        account: Account::parse("5512345678").unwrap(),
        ..payment(0)
    }
}

/// Rows with these queries, in the lines from the second one on.
pub(crate) fn rows(queries: impl IntoIterator<Item = ProofQuery>) -> Vec<DraftRow> {
    let numbered = (2..).zip(queries);
    numbered
        .map(|(line, query)| DraftRow {
            line,
            caller_id: Some(format!("factura-{line}")),
            query: Ok(query),
        })
        .collect()
}

/// So many rows that can be looked up.
pub(crate) fn ready(number: u64) -> Vec<DraftRow> {
    rows((0..number).map(payment))
}

/// A row that can't be read.
pub(crate) fn faulty(line: u32) -> DraftRow {
    DraftRow {
        line,
        caller_id: None,
        query: Err(FaultyRow("monto".to_owned())),
    }
}

pub(crate) fn draft(rows: Vec<DraftRow>) -> BatchDraft {
    BatchDraft {
        key: None,
        name: Some("Nómina".to_owned()),
        files: RequestedFiles::Xml,
        retry_for: RetryFor::DEFAULT,
        rows,
    }
}
