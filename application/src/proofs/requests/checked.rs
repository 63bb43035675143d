//! Files to check, and the results of their checks.

use bytes::Bytes;
use domain::check::{CheckOutcome, CheckReport};
use domain::participant::ParticipantCode;
use domain::seen::EarlierDeliveries;

/// A file to check.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// Its bytes, at most [`domain::check::MAX_FILE_BYTES`].
    pub file: Bytes,
    /// Comparison with the bank's record of the payment.
    pub bank_comparison: BankComparison,
}

/// Comparison of a file with the bank's record of the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BankComparison {
    /// Nobody is asked.
    Skipped,
    /// The payment is looked up.
    Wanted,
}

/// The result of checking what was sent.
#[derive(Clone, Debug)]
pub enum CheckedUpload {
    /// A file.
    File(Box<CheckedFile>),
    /// The files of a ZIP, in its order.
    Zip(Vec<ZippedCheck>),
}

/// The result of checking a file of a ZIP.
#[derive(Clone, Debug)]
pub struct ZippedCheck {
    /// The file's name, as it is told.
    pub name: String,
    /// The result.
    pub checked: CheckedFile,
}

impl CheckedUpload {
    /// The checks of the files that are proofs.
    pub fn proofs(&self) -> impl Iterator<Item = &CheckedFile> {
        let files: Vec<&CheckedFile> = match self {
            Self::File(file) => vec![file],
            Self::Zip(files) => files.iter().map(|file| &file.checked).collect(),
        };
        let files = files.into_iter();
        files.filter(|file| file.report.proof.is_some())
    }

    /// The gravest result of its files, of which one that should be a proof and can't be read as one is
    /// `invalid`; `None` without any proof.
    pub fn outcome(&self) -> Option<CheckOutcome> {
        self.proofs().next()?;
        let reports: Vec<&CheckReport> = match self {
            Self::File(file) => vec![&file.report],
            Self::Zip(files) => files.iter().map(|file| &file.checked.report).collect(),
        };
        CheckOutcome::gravest(
            reports
                .into_iter()
                .filter_map(CheckReport::outcome_in_total),
        )
    }
}

/// The result of checking a file.
#[derive(Clone, Debug)]
pub struct CheckedFile {
    /// All checks.
    pub report: CheckReport,
    /// The issuer, by the name that the file gives; `None` when no participant has it.
    pub issuer: Option<ParticipantCode>,
    /// Earlier deliveries and checks of the proof to the same customer; `None` when they can't be
    /// read.
    pub seen: Option<EarlierDeliveries>,
}
