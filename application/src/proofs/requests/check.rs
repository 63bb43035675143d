//! The steps of a request that checks a file.

use domain::check::{BankRecord, CheckReport};
use domain::idempotency::FirstAnswer;
use domain::outcome::Outcome;
use domain::seen::ProofMark;
use ports::inbound::{
    BankComparison, CheckExchange, CheckRequest, CheckedFile, FetchError, InvalidRequest,
    LookupDetails, NotFoundReason, Reply,
};

use super::{Admitted, FetchReport, Presented, Processed, RequestSteps};

impl RequestSteps {
    /// Decodes a file, checks it, compares it with the bank's record if that is wanted, and encodes
    /// the result. `first` is the first answer to a repeated request.
    pub(super) async fn check_file(
        &self,
        admitted: &Admitted,
        exchange: &mut dyn CheckExchange,
        first: Option<FirstAnswer>,
    ) -> Processed {
        let place = self.files.place(admitted.lane.key).await;
        let request = match exchange.decode().await {
            Ok(request) => request,
            Err(InvalidRequest) => return Processed::invalid(),
        };
        let CheckRequest {
            file,
            bank_comparison,
        } = request;
        let checked = self.files.check(admitted.environment, file).await;
        drop(place);
        let mut report = match checked {
            Ok(report) => report,
            Err(cause) => return super::failed(&admitted.request_id, cause),
        };
        let (details, compared) = match bank_comparison {
            BankComparison::Skipped => (LookupDetails::default(), Ok(Record::Lasting)),
            BankComparison::Wanted => self.compare_with_bank(admitted, &mut report).await,
        };
        let outcome = match &compared {
            Err(error) => error.outcome(),
            Ok(_) if report.proof.is_none() => Outcome::InvalidRequest,
            Ok(_) => Outcome::Delivered,
        };
        let is_lasting = matches!(compared, Ok(Record::Lasting));
        let (result, delivered) = if let Err(error) = compared {
            (Err(error), None)
        } else {
            let (checked, mark) = self.with_history(admitted, report, first).await;
            (Ok(checked), mark)
        };
        let checked = result.as_ref().ok();
        let seal = checked.map(|it| it.report.verdict.into());
        let seen = checked.and_then(|it| it.seen);
        let encoded = exchange.encode(result).await;
        Processed {
            outcome,
            details,
            reply: Reply::Encoded,
            delivered,
            seal,
            repeatable: is_lasting.then_some(FirstAnswer::Immediate { outcome, seen }),
            kept: None,
        }
        .unless_failed(&admitted.request_id, encoded)
    }

    /// The report with the issuer and earlier deliveries of the proof, and the mark to record.
    async fn with_history(
        &self,
        admitted: &Admitted,
        report: CheckReport,
        first: Option<FirstAnswer>,
    ) -> (CheckedFile, Option<ProofMark>) {
        let issuer = report.issuer(&self.files.catalogue());
        let (mut seen, mut mark) = (None, None);
        if let Some(proof) = &report.proof {
            let presented = Presented {
                environment: admitted.environment,
                issuer,
                proof,
            };
            let marks = self.history.marks(presented);
            mark = marks.first().copied().filter(|_| report.counts_as_shown());
            seen = self.seen(admitted, &marks, first).await;
        }
        let checked = CheckedFile {
            report,
            issuer,
            seen,
        };
        (checked, mark)
    }

    /// Looks the payment of a file up, and adds the comparison to its checks.
    async fn compare_with_bank(
        &self,
        admitted: &Admitted,
        report: &mut CheckReport,
    ) -> (LookupDetails, Result<Record, FetchError>) {
        if report.proof.is_none() {
            return (LookupDetails::default(), Ok(Record::Lasting));
        }
        let Some(query) = self.files.query(report) else {
            report.compare_with_bank(BankRecord::NotAskable);
            return (LookupDetails::default(), Ok(Record::Lasting));
        };
        let FetchReport {
            details, result, ..
        } = self.proofs.fetch(admitted.lookup(query)).await;
        let record = match &result {
            Ok(delivery) => BankRecord::Issued(&delivery.proof),
            Err(FetchError::NotFound { reason, .. }) => match reason {
                NotFoundReason::NotInSpei => BankRecord::Unknown,
                NotFoundReason::ProofNotIssued(_) => BankRecord::NotIssued,
            },
            Err(FetchError::InferenceFailed { .. } | FetchError::SameInstitution(_)) => {
                BankRecord::NotAskable
            }
            Err(error) => return (details, Err(error.clone())),
        };
        let is_issued = matches!(record, BankRecord::Issued(_));
        report.compare_with_bank(record);
        let record = if is_issued {
            Record::Lasting
        } else {
            Record::Passing
        };
        (details, Ok(record))
    }
}

/// Permanence of the bank's record of a payment.
#[derive(Clone, Copy)]
enum Record {
    /// It is the same later, or wasn't needed.
    Lasting,
    /// A proof may still be issued.
    Passing,
}
