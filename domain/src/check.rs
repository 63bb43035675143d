//! Checks of a proof that somebody sent: its structure, its fields against the original chain, its
//! seal. Nobody is asked; the seal's verdict comes from the caller.
//!
//! The seal covers the original chain alone, and people read the fields beside it: a forger who
//! changes a field leaves a contradiction, one who changes the chain breaks the seal, one who changes
//! both breaks the seal without a contradiction.

use chrono::NaiveDate;

use crate::proof::{Proof, ProofError, ProofField};

mod bank;
mod compare;
mod kind;
mod names;
mod printed;
mod report;
mod shown_proof;
mod verdicts;
mod zip;

pub use bank::BankRecord;
pub use kind::{FileKind, is_zip};
pub use names::{CheckName, CheckOutcome, CheckReason, CheckResult, PageComparison};
pub use printed::{Drawing, MAX_RUNS, PORTAL_NOTICE, PrintedPage, TextRun, printed_date};
pub use report::CheckReport;
pub use shown_proof::ShownProof;
pub use zip::{ZipBounds, ZipEntry, ZipError, ZipMethod};

/// Maximum size of a file that is checked; a PDF of the portal has about 30,000 bytes.
pub const MAX_FILE_BYTES: usize = 1024 * 1024;

/// A check with its result. Names only, never a value of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The check.
    pub name: CheckName,
    /// Its result.
    pub result: CheckResult,
    /// Reason of a result that isn't `ok`.
    pub reason: Option<CheckReason>,
    /// The fields that contradict the chain or couldn't be compared with it.
    pub fields: Vec<ProofField>,
    /// Name of the element or attribute that the reason is about.
    pub element: Option<&'static str>,
}

/// Error of reading a file that is to be checked.
enum FileError {
    /// Not the XML of a proof.
    Xml(ProofError),
    /// Not the PDF of a proof.
    Pdf(PdfError),
}

/// Error of reading a PDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// More than [`MAX_FILE_BYTES`].
    #[error("at most {MAX_FILE_BYTES} bytes are read")]
    TooLarge,
    /// Not a PDF.
    #[error("not a PDF")]
    NotPdf,
    /// Encrypted, which the portal's PDFs never are.
    #[error("an encrypted PDF is not accepted")]
    Encrypted,
    /// Far more pages, objects, text or inflated bytes than any proof has.
    #[error("far more pages, objects or text than a proof has")]
    TooComplex,
    /// A structure that can't be read.
    #[error("a damaged PDF")]
    Damaged,
    /// No text: made from a picture.
    #[error("a PDF without text")]
    NoText,
    /// No original chain, seal or certificate number under the portal's labels.
    #[error("no original chain, seal or certificate number")]
    NoChain,
    /// A receipt that a bank gives to its customer.
    #[error("a bank's receipt")]
    BankReceipt,
    /// The portal's report on the state of a payment.
    #[error("a report on the state of a payment")]
    StateReport,
    /// More than one proof.
    #[error("more than one proof")]
    SeveralProofs,
}

/// Format of a file that is checked, and how its fields are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Xml,
    Pdf(printed::Compared),
}

/// A proof that was read from a file, and what else the file says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reading {
    proof: Proof,
    source: Source,
    /// The credit date, which the attributes of an XML don't have.
    credit_date: Option<NaiveDate>,
    /// Visible fields with a text that can't be read as their value.
    unreadable: Vec<ProofField>,
    /// Fields that the visible text lacks.
    missing: Vec<ProofField>,
}

#[cfg(test)]
mod tests;
