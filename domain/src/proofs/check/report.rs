//! Results of all checks of a file.

use chrono::NaiveDate;

use super::printed::Compared;
use super::verdicts::{
    certificate_check, fields_check, repeated_seal_check, seal_check, structure_fault,
    tracking_key_check,
};
use super::{
    Check, CheckName, CheckOutcome, CheckReason, CheckResult, FileError, MAX_FILE_BYTES,
    PageComparison, PdfError, PrintedPage, Reading, Source, compare, printed,
};
use crate::keys::Environment;
use crate::proofs::file::Format;
use crate::proofs::notice::{Notice, NoticeCode};
use crate::proofs::{Proof, ProofError};
use crate::seals::{NotChecked, SecondOpinion, UncheckedSeal, Verdict};

/// Results of all checks of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// The proof; `None` if the file isn't one. For a PDF page that couldn't be compared, only the
    /// sealed data.
    pub proof: Option<Proof>,
    /// The verdict on the proof's seal.
    pub verdict: Verdict,
    /// All checks, in the order of the APIs.
    pub checks: Vec<Check>,
    /// The verdict with the sandbox's public key, if the sandbox made the seal, or if the seal names
    /// the sandbox's certificate and no institution's.
    pub by_sandbox: Option<Verdict>,
    /// The second opinion on the seal; `None` if nobody asked for it.
    pub second_opinion: Option<SecondOpinion>,
}

impl CheckReport {
    /// Checks the XML of a proof; `verdict` verifies its seal.
    pub fn of_xml(xml: &[u8], verdict: impl Fn(&Proof) -> Verdict) -> Self {
        if xml.len() > MAX_FILE_BYTES {
            return Self::unreadable(&FileError::Xml(ProofError::TooLarge { bytes: xml.len() }));
        }
        match Proof::read(xml) {
            Ok(proof) => {
                let verdict = verdict(&proof);
                let reading = Reading {
                    shown: proof.values.clone(),
                    proof,
                    source: Source::Xml,
                    unreadable: Vec::new(),
                    missing: Vec::new(),
                };
                let mut report = Self::of_reading(reading, verdict);
                if Proof::holds_more(xml) {
                    let reason = CheckReason::ForeignContent;
                    report.checks[0] = Check::not_checked(CheckName::Structure, reason, Vec::new());
                }
                report
            }
            Err(error) => Self::unreadable(&FileError::Xml(error)),
        }
    }

    /// Checks the pages of a PDF of an environment. A line break may hide a blank of the original
    /// chain, so all ways to join its lines are tried: the one with a valid seal counts, else the most
    /// likely one. `today` is the date in Mexico City; a page with a later date is refused.
    pub fn of_pages(
        pages: Result<&[PrintedPage], PdfError>,
        environment: Environment,
        today: NaiveDate,
        verdict: impl Fn(&Proof) -> Verdict,
    ) -> Self {
        let readings = match pages.and_then(|pages| printed::readings(pages, environment, today)) {
            Ok(readings) => readings,
            Err(error) => return Self::unreadable(&FileError::Pdf(error)),
        };
        let mut likeliest = None;
        for reading in readings {
            let verdict = match verdict(&reading.proof) {
                // The page's encoding has these in place of characters that it lacks.
                Verdict::Invalid if reading.proof.chain.as_str().contains(['?', '\u{fffd}']) => {
                    Verdict::NotChecked(NotChecked::Unreadable)
                }
                verdict => verdict,
            };
            if matches!(verdict, Verdict::Valid(_)) {
                return Self::of_reading(reading, verdict);
            }
            // If a known key of another certificate made the seal, only the join that it sealed isn't
            // invalid.
            let likelihood = match verdict {
                Verdict::NotChecked(NotChecked::Unreadable) => 0,
                Verdict::Invalid => 1,
                Verdict::NotChecked(NotChecked::UnknownCertificate) | Verdict::Valid(_) => 2,
            };
            if likeliest
                .as_ref()
                .is_none_or(|(_, _, most)| *most < likelihood)
            {
                likeliest = Some((reading, verdict, likelihood));
            }
        }
        match likeliest {
            Some((reading, verdict, _)) => Self::of_reading(reading, verdict),
            None => Self::unreadable(&FileError::Pdf(PdfError::NoChain)),
        }
    }

    /// The report on a file that is not a proof, for this reason.
    pub fn of_other(reason: CheckReason) -> Self {
        Self::without_proof(reason, None)
    }

    /// The report on a file that should be a proof but can't be read as one.
    fn unreadable(error: &FileError) -> Self {
        let (reason, element) = structure_fault(error);
        Self::without_proof(reason, element)
    }

    fn without_proof(reason: CheckReason, element: Option<&'static str>) -> Self {
        Self {
            proof: None,
            verdict: Verdict::NotChecked(NotChecked::Unreadable),
            checks: vec![Check {
                element,
                ..Check::failed(CheckName::Structure, reason, Vec::new())
            }],
            by_sandbox: None,
            second_opinion: None,
        }
    }

    pub(super) fn of_reading(reading: Reading, verdict: Verdict) -> Self {
        let comparison = compare::compare(&reading);
        let contradicts = !comparison.contradicting.is_empty();
        let fields = fields_check(&reading, comparison, verdict);
        let is_whole = matches!(reading.source, Source::Xml | Source::Pdf(Compared::Whole));
        let is_not_compared =
            fields.result == CheckResult::NotChecked && (!is_whole || !reading.missing.is_empty());
        let mut checks = vec![
            Check::ok(CheckName::Structure),
            fields,
            seal_check(contradicts, verdict),
        ];
        let proof = &reading.proof;
        if reading.source == Source::Xml {
            checks.push(repeated_seal_check(proof));
        }
        checks.push(certificate_check(proof));
        checks.push(tracking_key_check(proof));
        let proof = if is_not_compared {
            reading.proof.as_sealed()
        } else {
            reading.proof
        };
        Self {
            proof: Some(proof),
            verdict,
            checks,
            by_sandbox: None,
            second_opinion: None,
        }
    }

    /// The combined result of all checks. A tracking key that wasn't compared doesn't count, if a bank
    /// may have assigned it.
    pub fn outcome(&self) -> CheckOutcome {
        self.outcome_but_for(|check| check.reason == Some(CheckReason::Unsealed))
    }

    /// The combined result of all checks except those of the seal and the tracking key: the result if
    /// the seal is valid.
    pub fn outcome_of_fields(&self) -> CheckOutcome {
        self.outcome_but_for(|check| matches!(check.name, CheckName::TrackingKey | CheckName::Seal))
    }

    /// The combined result. Checks for which `may_be_open` returns `true` may be unchecked.
    fn outcome_but_for(&self, may_be_open: impl Fn(&Check) -> bool) -> CheckOutcome {
        let mut checks = self.checks.iter();
        if checks.any(|check| check.result == CheckResult::Failed) {
            return CheckOutcome::Invalid;
        }
        let is_open =
            |check: &Check| check.result == CheckResult::NotChecked && !may_be_open(check);
        if self.checks.iter().any(is_open) {
            CheckOutcome::NotChecked
        } else {
            CheckOutcome::Valid
        }
    }

    /// The result when several files are counted: `invalid` for a file that should be a proof but can't
    /// be read as one; `None` for a file that is another kind of document.
    pub fn outcome_in_total(&self) -> Option<CheckOutcome> {
        let is_another = |check: &Check| check.reason.is_some_and(CheckReason::is_another_document);
        let counts = self.proof.is_some() || !self.checks.iter().any(is_another);
        counts.then(|| self.outcome())
    }

    /// Takes the file's name into account, because programs rely on it: another kind of document,
    /// except an invoice, that is named like a proof counts as a proof that can't be read.
    #[must_use]
    pub fn of_named(self, name: &str) -> Self {
        let reason = self.checks.first().and_then(|check| check.reason);
        let passes = self.outcome_in_total().is_some() || reason == Some(CheckReason::Invoice);
        match Format::of_name(name) {
            Some(Format::Pdf) if !passes => Self::of_other(CheckReason::NotPdf),
            Some(Format::Xml) if !passes => Self::of_other(CheckReason::NotXml),
            _ => self,
        }
    }

    /// Result of comparing a PDF's page; `None` for other files.
    pub fn page(&self) -> Option<PageComparison> {
        let check = self.check(CheckName::VisibleText)?;
        Some(match check.result {
            CheckResult::Ok => PageComparison::Agrees,
            CheckResult::Failed => PageComparison::Contradicts,
            CheckResult::NotChecked => PageComparison::NotCompared,
        })
    }

    /// Notices to show with the outcome. Beside an invalid seal nothing is said to agree with the bank.
    pub fn notices(&self) -> Vec<Notice> {
        let tracking_key = self.check(CheckName::TrackingKey);
        let unsealed = match tracking_key {
            Some(check) if check.reason == Some(CheckReason::ForeignTrackingKey) => {
                NoticeCode::UnsealedNotCompared
            }
            Some(check) if check.result == CheckResult::Ok => NoticeCode::UnsealedCompared,
            Some(check) if check.result == CheckResult::Failed => NoticeCode::UnsealedDiffer,
            Some(_) | None => NoticeCode::UnsealedNotCompared,
        };
        let is_forged = self
            .check(CheckName::Seal)
            .is_some_and(|check| check.result == CheckResult::Failed);
        let unsealed = (unsealed != NoticeCode::UnsealedCompared || !is_forged)
            .then(|| Notice::of_unsealed(unsealed));
        let sandbox = self.by_sandbox.map(|_| Notice::SANDBOX);
        sandbox.into_iter().chain(unsealed).collect()
    }

    /// Returns `true` if this check counts as a presentation of the proof. A file that is refused
    /// doesn't count, nor one without a readable seal: anybody who has the proof's chain could make it,
    /// and the real proof would look as if it had been used.
    pub fn counts_as_shown(&self) -> bool {
        let has_seal =
            |proof: &Proof| UncheckedSeal::of(proof).is_ok_and(|seal| seal.is_readable());
        self.outcome() != CheckOutcome::Invalid && self.proof.as_ref().is_some_and(has_seal)
    }

    /// The check with this name; `None` if it wasn't made.
    pub fn check(&self, name: CheckName) -> Option<&Check> {
        self.checks.iter().find(|check| check.name == name)
    }
}
