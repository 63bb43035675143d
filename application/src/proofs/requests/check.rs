//! Processing of requests that check files.

use std::collections::BTreeSet;

use domain::idempotency::FirstAnswer;
use domain::outcome::Outcome;
use domain::participants::ParticipantCode;
use domain::proofs::check::{BankRecord, CheckReport};
use domain::proofs::seen::ProofMark;

use super::super::file_checks::{Checked, Reports};
use super::super::lookup::ProofRequest;
use super::super::memory::ProofSource;
use super::{
    Admitted, BankComparison, CheckRequest, CheckedFile, CheckedUpload, FetchError, FetchReport,
    LookupDetails, Presented, Processed, ProofRequestService, Question, Reply, SealValidation,
    Turn, ZippedCheck,
};
use crate::checks::ZippedReport;

/// A checked file, before its earlier deliveries are read.
struct Shown {
    report: CheckReport,
    issuer: Option<ParticipantCode>,
    /// Marks of the proof; `None` if the file isn't one.
    marks: Option<Vec<ProofMark>>,
}

impl Shown {
    /// The mark to record; `None` if the file's check doesn't count.
    fn counted(&self) -> Option<ProofMark> {
        let marks = self.marks.as_ref()?;
        marks
            .first()
            .copied()
            .filter(|_| self.report.counts_as_shown())
    }
}

impl ProofRequestService {
    /// Reads a file, checks it, and asks the bank and its validator if requested. `first` is the first answer to a
    /// repeated request.
    pub(super) async fn check_file<E: Send + 'static>(
        &self,
        admitted: &Admitted,
        question: Question<'_, CheckRequest, E>,
        first: Option<FirstAnswer>,
    ) -> Processed<Result<CheckedUpload, FetchError>, E> {
        let place = self.files.place(admitted.lane.key).await;
        let request = match question.read().await {
            Ok(request) => request,
            Err(fault) => return Processed::faulty(fault),
        };
        let CheckRequest {
            file,
            bank_comparison,
            seal_validation,
        } = request;
        let checked = self.files.check(admitted.environment, file).await;
        drop(place);
        let Checked {
            mut reports,
            disputable,
        } = match checked {
            Ok(checked) => checked,
            Err(cause) => return Processed::failed(&admitted.request_id, cause),
        };
        let has_lasting_opinion = match seal_validation {
            SealValidation::Skipped => true,
            SealValidation::Wanted => {
                let asking = (admitted.environment, admitted.lane);
                let opinions = &self.second_opinions;
                opinions
                    .add(asking, &mut reports.of_proofs(), disputable)
                    .await
            }
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
        let is_lasting = has_lasting_opinion && matches!(compared, Ok(Record::Lasting));
        let (result, delivered, turn) = if let Err(error) = compared {
            (Err(error), Vec::new(), Turn::default())
        } else {
            let (checked, marks, turn) = self.with_history(admitted, reports, first).await;
            (Ok(checked), marks, turn)
        };
        let checked = result.as_ref().ok();
        // Includes the other checks, since a valid seal isn't sufficient.
        let seal = checked.and_then(CheckedUpload::outcome).map(Into::into);
        let seen = checked.and_then(|checked| match checked {
            CheckedUpload::File(file) => file.seen,
            // The counts of a ZIP's files aren't stored for repeated requests.
            CheckedUpload::Zip(_) => None,
        });
        Processed {
            outcome,
            details,
            reply: Reply::Answer(result),
            delivered,
            turn,
            seal,
            repeatable: is_lasting.then_some(FirstAnswer::Immediate { outcome, seen }),
            kept: None,
        }
    }

    /// Adds issuers and earlier deliveries to the reports; also returns the marks to record, and their turn.
    async fn with_history(
        &self,
        admitted: &Admitted,
        reports: Reports,
        first: Option<FirstAnswer>,
    ) -> (CheckedUpload, Vec<ProofMark>, Turn) {
        let reports = match reports {
            Reports::File(report) => {
                let shown = self.shown(admitted, *report);
                let marks = Vec::from_iter(shown.counted());
                let turn = self.turn(admitted, &marks, first).await;
                let checked = self
                    .file_with_history(admitted, shown, (&turn, first))
                    .await;
                return (CheckedUpload::File(Box::new(checked)), marks, turn);
            }
            Reports::Zip(reports) => reports,
        };
        let reports = reports.into_iter();
        let files: Vec<_> = reports
            .map(|ZippedReport { name, report, .. }| (name, self.shown(admitted, report)))
            .collect();
        // XML and PDF of one payment count as one check.
        let marks: BTreeSet<_> = files.iter().filter_map(|(_, it)| it.counted()).collect();
        let marks = Vec::from_iter(marks);
        let turn = self.turn(admitted, &marks, first).await;
        let (mut checks, mut earlier) = (Vec::with_capacity(files.len()), Vec::new());
        for (name, shown) in files {
            let mark = shown.counted();
            let mut checked = self
                .file_with_history(admitted, shown, (&turn, first))
                .await;
            if let (Some(mark), Some(seen)) = (mark, &mut checked.seen) {
                // Another copy in the same ZIP counts again, but not the PDF beside an XML.
                let is_xml = checked.report.page().is_none();
                seen.times += earlier.iter().filter(|it| **it == (mark, is_xml)).count() as u64;
                seen.first = seen.first.or((seen.times > 0).then(|| self.clock.now()));
                earlier.push((mark, is_xml));
            }
            checks.push(ZippedCheck { name, checked });
        }
        (CheckedUpload::Zip(checks), marks, turn)
    }

    fn shown(&self, admitted: &Admitted, report: CheckReport) -> Shown {
        let issuer = report.issuer(&self.files.catalogue());
        let proof = report.proof.as_ref();
        let marks = proof.map(|proof| {
            self.history.marks(Presented {
                environment: admitted.environment,
                issuer,
                proof,
            })
        });
        Shown {
            report,
            issuer,
            marks,
        }
    }

    async fn file_with_history(
        &self,
        admitted: &Admitted,
        shown: Shown,
        history: (&Turn, Option<FirstAnswer>),
    ) -> CheckedFile {
        let seen = match &shown.marks {
            Some(marks) => self.seen(admitted, marks, history).await,
            None => None,
        };
        CheckedFile {
            report: shown.report,
            issuer: shown.issuer,
            seen,
        }
    }

    /// Queries the bank for the payment of the files, and adds the comparison to their reports. If the files
    /// are of several payments, none is compared, because a request may make only one lookup.
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
        } = self
            .proofs
            .fetch(ProofRequest {
                source: ProofSource::Bank,
                ..admitted.lookup(query)
            })
            .await;
        let record = match &result {
            Ok(delivery) => BankRecord::Issued(&delivery.proof),
            Err(FetchError::NotFound { payment, .. }) => payment
                .map_or(BankRecord::Unknown, |payment| {
                    BankRecord::NotIssued(payment.state)
                }),
            Err(
                FetchError::InferenceFailed { .. }
                | FetchError::SameInstitution(_)
                | FetchError::NoOwnAccount(_),
            ) => BankRecord::NotAskable,
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
    /// The record won't change, or wasn't needed.
    Lasting,
    /// The record may change: a proof may still be issued.
    Passing,
}
