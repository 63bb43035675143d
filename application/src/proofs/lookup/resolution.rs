//! Queries that are answered without querying the bank.

use super::super::delivery::{FetchError, LookupDetails};
use domain::calendar;
use domain::hints::{self, Hint};
use domain::participants::inference::{self, InferredBanks, Resolution, Unresolved};
use domain::query::ProofQuery;
use domain::transfer::{Banks, Transfer};

use super::{FetchReport, ProofService};

impl ProofService {
    /// Repeats the answer that the bank doesn't know the transfer, without querying the bank.
    pub(in crate::proofs) fn not_in_spei(&self, query: ProofQuery) -> FetchReport {
        let (transfer, inferred) = match self.resolve(query) {
            Ok(resolved) => resolved,
            Err(report) => return *report,
        };
        let error = FetchError::NotFound {
            payment: None,
            hints: self.hints(&transfer, &inferred),
        };
        let banks = Some(transfer.banks());
        failed_lookup(error, inferred, banks)
    }

    /// The report of a query whose participants can't be resolved; `None` if they can.
    pub(in crate::proofs) fn unresolved(&self, query: ProofQuery) -> Option<FetchReport> {
        self.resolve(query).err().map(|report| *report)
    }

    /// The transfer of a query, with the inferred participants; or a report if they can't be resolved.
    pub(super) fn resolve(
        &self,
        query: ProofQuery,
    ) -> Result<(Transfer, InferredBanks), Box<FetchReport>> {
        let catalogue = self.parts.participants.catalogue();
        let Resolution { inferred, transfer } = inference::resolve(query, &catalogue);
        match transfer {
            Ok(transfer) => Ok((transfer, inferred)),
            Err(unresolved) => {
                let error = without_transfer(unresolved);
                Err(Box::new(failed_lookup(error, inferred, None)))
            }
        }
    }

    pub(super) fn hints(&self, transfer: &Transfer, inferred: &InferredBanks) -> Vec<Hint> {
        let today = calendar::today(self.parts.clock.now());
        let catalogue = self.parts.participants.catalogue();
        hints::hints(transfer, inferred, today, &catalogue)
    }
}

/// Report of a failed lookup without a bank query.
fn failed_lookup(error: FetchError, inferred: InferredBanks, banks: Option<Banks>) -> FetchReport {
    FetchReport {
        details: LookupDetails {
            banks,
            inferred,
            bank_time: None,
        },
        result: Err(error),
        cached: None,
    }
}

/// The error of a query whose participants can't be resolved.
pub(in crate::proofs) fn without_transfer(unresolved: Unresolved) -> FetchError {
    match unresolved {
        Unresolved::InferenceFailed { issuer, receiver } => {
            FetchError::InferenceFailed { issuer, receiver }
        }
        Unresolved::SameInstitution(same) => FetchError::SameInstitution(same),
    }
}
