//! The steps of a request that checks a file.

use domain::check::{BankRecord, CheckReport};
use domain::outcome::Outcome;
use domain::query::ProofQuery;
use domain::seen::ProofMark;
use ports::inbound::{
    BankComparison, CheckExchange, CheckRequest, CheckedFile, FetchError, InvalidRequest,
    LookupDetails, NotFoundReason, Reply,
};

use super::{Admitted, FetchReport, Presented, Processed, ProofRequest, Steps};

impl Steps {
    /// Decodes a file, checks it, compares it with the bank's record if that is wanted, and encodes
    /// the result.
    pub(super) async fn check_file(
        &self,
        admitted: &Admitted,
        exchange: &mut dyn CheckExchange,
    ) -> Processed {
        let place = self.files.place(admitted.lane.key).await;
        let request = match exchange.decode().await {
            Ok(request) => request,
            Err(InvalidRequest) => return Processed::invalid(),
        };
        let CheckRequest {
            file,
            format,
            bank_comparison,
        } = request;
        let checked = self.files.check(admitted.environment, file, format).await;
        drop(place);
        let mut report = match checked {
            Ok(report) => report,
            Err(cause) => return super::failed(&admitted.request_id, cause),
        };
        let (details, compared) = match bank_comparison {
            BankComparison::Skipped => (LookupDetails::default(), Ok(())),
            BankComparison::Wanted => self.compare_with_bank(admitted, &mut report).await,
        };
        let outcome = match &compared {
            Err(error) => error.outcome(),
            Ok(()) if report.proof.is_none() => Outcome::InvalidRequest,
            Ok(()) => Outcome::Delivered,
        };
        let (result, delivered) = if let Err(error) = compared {
            (Err(error), None)
        } else {
            let (checked, mark) = self.with_history(admitted, report).await;
            (Ok(checked), mark)
        };
        let seal = result.as_ref().ok().map(|it| it.report.verdict.into());
        let encoded = exchange.encode(result).await;
        Processed {
            outcome,
            details,
            reply: Reply::Encoded,
            delivered,
            seal,
        }
        .unless_failed(&admitted.request_id, encoded)
    }

    /// The report with the issuer and earlier deliveries of the proof, and the mark to record.
    async fn with_history(
        &self,
        admitted: &Admitted,
        report: CheckReport,
    ) -> (CheckedFile, Option<ProofMark>) {
        let issuer = report.issuer(&self.files.catalogue());
        let (mut seen, mut mark) = (None, None);
        if let Some((issuer, proof)) = issuer.zip(report.proof.as_ref()) {
            let presented = Presented {
                environment: admitted.environment,
                issuer,
                proof,
            };
            let (customer, request_id) = (admitted.lane.customer, &admitted.request_id);
            let marks = self.history.marks(presented);
            mark = marks.first().copied();
            seen = self.history.earlier(customer, &marks, request_id).await;
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
    ) -> (LookupDetails, Result<(), FetchError>) {
        if report.proof.is_none() {
            return (LookupDetails::default(), Ok(()));
        }
        let Some(query) = self.files.query(report) else {
            report.compare_with_bank(BankRecord::NotAskable);
            return (LookupDetails::default(), Ok(()));
        };
        let FetchReport {
            details, result, ..
        } = self.proofs.fetch(lookup(admitted, query)).await;
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
        report.compare_with_bank(record);
        (details, Ok(()))
    }
}

fn lookup(admitted: &Admitted, query: ProofQuery) -> ProofRequest {
    ProofRequest {
        query,
        wanted: admitted.endpoint.wanted(),
        environment: admitted.environment,
        lane: admitted.lane,
        request_id: admitted.request_id.clone(),
    }
}
