//! Questions of tests.

use domain::calendar::parse_date;
use domain::lookups::{Metadata, RetryFor};
use domain::proofs::file::RequestedFiles;
use domain::query::ProofQuery;

use super::*;

pub(super) const XML: RequestedFiles = RequestedFiles::Xml;
pub(super) const BOTH: RequestedFiles = RequestedFiles::Both;

/// The payment of a day.
pub(super) fn query(date: &str, amount: &str) -> ProofQuery {
    ProofQuery {
        date: parse_date(date).unwrap(),
        ..query_of(amount)
    }
}

/// A lookup of a transfer of two days ago, for which nobody waits.
pub(super) fn lookup(amount: &str) -> LookupRequest {
    LookupRequest {
        query: query_of(amount).into(),
        files: XML,
        retry_for: RetryFor::DEFAULT,
        metadata: Metadata::default(),
        wait: Duration::ZERO,
    }
}

/// The same of a transfer of today.
pub(super) fn lookup_of_today(amount: &str) -> LookupRequest {
    LookupRequest {
        query: query("2026-11-20", amount).into(),
        ..lookup(amount)
    }
}

/// The same, for which its creator waits.
pub(super) fn awaited(amount: &str) -> LookupRequest {
    LookupRequest {
        wait: seconds(25),
        ..lookup(amount)
    }
}

pub(super) fn retried_for(seconds: u64, request: LookupRequest) -> LookupRequest {
    LookupRequest {
        retry_for: RetryFor::from_secs(seconds).unwrap(),
        ..request
    }
}
