//! The steps of a request that checks a file.

use domain::check::{BankRecord, CheckReport};
use domain::idempotency::FirstAnswer;
use domain::outcome::Outcome;
use domain::seen::ProofMark;
use ports::inbound::{
    BankComparison, CheckExchange, CheckRequest, CheckedFile, CheckedUpload, FetchError,
    InvalidRequest, LookupDetails, Reply, ZippedCheck,
};

use super::super::file_checks::Reports;
use super::{Admitted, FetchReport, Presented, Processed, RequestSteps};
use crate::checks::ZippedReport;

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
        let mut reports = match checked {
            Ok(reports) => reports,
            Err(cause) => return super::failed(&admitted.request_id, cause),
        };
        let (details, compared) = match bank_comparison {
            BankComparison::Skipped => (LookupDetails::default(), Ok(Record::Lasting)),
            BankComparison::Wanted => {
                self.compare_with_bank(admitted, &mut reports.of_proofs())
                    .await
            }
        };
        let outcome = match &compared {
            Err(error) => error.outcome(),
            Ok(_) if reports.of_proofs().is_empty() => Outcome::InvalidRequest,
            Ok(_) => Outcome::Delivered,
        };
        let is_lasting = matches!(compared, Ok(Record::Lasting));
        let (result, delivered) = if let Err(error) = compared {
            (Err(error), Vec::new())
        } else {
            let (checked, marks) = self.with_history(admitted, reports, first).await;
            (Ok(checked), marks)
        };
        let checked = result.as_ref().ok();
        let seal = checked.and_then(CheckedUpload::verdict).map(Into::into);
        let seen = checked.and_then(|checked| match checked {
            CheckedUpload::File(file) => file.seen,
            // A repeated request gets none of them.
            CheckedUpload::Zip(_) => None,
        });
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

    /// The reports with issuers and earlier deliveries of the proofs, and the marks to record.
    async fn with_history(
        &self,
        admitted: &Admitted,
        reports: Reports,
        first: Option<FirstAnswer>,
    ) -> (CheckedUpload, Vec<ProofMark>) {
        let reports = match reports {
            Reports::File(report) => {
                let (checked, mark) = self.file_with_history(admitted, *report, first).await;
                return (CheckedUpload::File(Box::new(checked)), Vec::from_iter(mark));
            }
            Reports::Zip(reports) => reports,
        };
        let (mut files, mut marks) = (Vec::with_capacity(reports.len()), Vec::new());
        let mut shown = Vec::new();
        for ZippedReport { name, report } in reports {
            let (mut checked, mark) = self.file_with_history(admitted, report, first).await;
            if let (Some(mark), Some(seen)) = (mark, &mut checked.seen) {
                // Another copy in one ZIP is another time, too; the PDF beside an XML isn't.
                let is_xml = checked.report.page().is_none();
                seen.times += shown.iter().filter(|it| **it == (mark, is_xml)).count() as u64;
                seen.first = seen.first.or((seen.times > 0).then(|| self.clock.now()));
                shown.push((mark, is_xml));
            }
            files.push(ZippedCheck { name, checked });
            // The XML and the PDF of one payment are one time that it is shown.
            if let Some(mark) = mark.filter(|mark| !marks.contains(mark)) {
                marks.push(mark);
            }
        }
        (CheckedUpload::Zip(files), marks)
    }

    async fn file_with_history(
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

    /// Looks the payment of the files up, and adds the comparison to their checks. Files of several payments
    /// are compared with nothing: a request is one lookup.
    async fn compare_with_bank(
        &self,
        admitted: &Admitted,
        reports: &mut [&mut CheckReport],
    ) -> (LookupDetails, Result<Record, FetchError>) {
        let queries: Vec<_> = reports.iter().map(|it| self.files.query(it)).collect();
        let mut askable = queries.iter().flatten();
        let query = askable.next().cloned();
        let record_all = |reports: &mut [&mut CheckReport], record| {
            for report in reports {
                report.compare_with_bank(record);
            }
            (LookupDetails::default(), Ok(Record::Lasting))
        };
        if askable.any(|other| Some(other) != query.as_ref()) {
            return record_all(reports, BankRecord::OfSeveralPayments);
        }
        let Some(query) = query else {
            return record_all(reports, BankRecord::NotAskable);
        };
        let FetchReport {
            details, result, ..
        } = self.proofs.fetch(admitted.lookup(query)).await;
        let record = match &result {
            Ok(delivery) => BankRecord::Issued(&delivery.proof),
            Err(FetchError::NotFound { payment, .. }) => payment
                .map_or(BankRecord::Unknown, |payment| {
                    BankRecord::NotIssued(payment.state)
                }),
            Err(FetchError::InferenceFailed { .. } | FetchError::SameInstitution(_)) => {
                BankRecord::NotAskable
            }
            Err(error) => return (details, Err(error.clone())),
        };
        for (report, query) in reports.iter_mut().zip(queries) {
            let record = query.map_or(BankRecord::NotAskable, |_| record);
            report.compare_with_bank(record);
        }
        let lasting = match record {
            BankRecord::Issued(_) => Record::Lasting,
            BankRecord::NotIssued(state) if state.is_final() => Record::Lasting,
            BankRecord::NotIssued(_)
            | BankRecord::Unknown
            | BankRecord::NotAskable
            | BankRecord::OfSeveralPayments => Record::Passing,
        };
        (details, Ok(lasting))
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
