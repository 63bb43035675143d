//! Requests to check files, and their results.

use bytes::Bytes;
use domain::participants::ParticipantCode;
use domain::proofs::check::{CheckOutcome, CheckReport};
use domain::proofs::seen::EarlierDeliveries;

/// A file to check.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// Content of the file, at most [`domain::proofs::check::MAX_FILE_BYTES`].
    pub file: Bytes,
    /// Requests a comparison with the bank's record of the payment.
    pub bank_comparison: BankComparison,
    /// Requests a second opinion on the seal.
    pub seal_validation: SealValidation,
}

/// Request to compare a file with the bank's record of the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BankComparison {
    /// The bank isn't queried.
    Skipped,
    /// The bank is queried for the payment.
    Wanted,
}

/// Request for the verdict of the central bank's validator on a seal of an unknown certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealValidation {
    /// The file isn't sent anywhere.
    Skipped,
    /// The file is sent to the validator.
    Wanted,
}

/// Result of checking an upload.
#[derive(Clone, Debug)]
pub enum CheckedUpload {
    /// Result of a single file.
    File(Box<CheckedFile>),
    /// Results of the files in a ZIP, in their order.
    Zip(Vec<ZippedCheck>),
}

/// Result of checking a file in a ZIP.
#[derive(Clone, Debug)]
pub struct ZippedCheck {
    /// The file's name, cleaned for display.
    pub name: String,
    /// Result of the check.
    pub checked: CheckedFile,
}

impl CheckedUpload {
    /// Results of the files that are proofs.
    pub fn proofs(&self) -> impl Iterator<Item = &CheckedFile> {
        let files: Vec<&CheckedFile> = match self {
            Self::File(file) => vec![file],
            Self::Zip(files) => files.iter().map(|file| &file.checked).collect(),
        };
        let files = files.into_iter();
        files.filter(|file| file.report.proof.is_some())
    }

    /// The worst result of the files; a file that should be a proof but can't be parsed counts as `invalid`.
    /// `None` if no file is a proof.
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

/// Result of checking a file.
#[derive(Clone, Debug)]
pub struct CheckedFile {
    /// Results of all checks.
    pub report: CheckReport,
    /// Code of the issuer, found by its name in the file; `None` if no participant has the name.
    pub issuer: Option<ParticipantCode>,
    /// Earlier deliveries and checks of the proof for the same customer; `None` if they couldn't be read.
    pub seen: Option<EarlierDeliveries>,
}
