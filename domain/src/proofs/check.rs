//! Checks of an uploaded proof: its structure, its fields against the original chain, and its seal. No
//! query is made here; the caller provides the verdict on the seal.
//!
//! The seal covers only the original chain, but people read the fields outside it. Changing only a
//! field causes a contradiction; changing only the chain breaks the seal; changing both breaks the seal
//! without a contradiction.

use crate::proofs::value::Values;
use crate::proofs::{Proof, ProofError, ProofField};

mod bank;
mod compare;
mod kind;
mod names;
mod printed;
mod report;
mod second_opinion;
mod shown_proof;
mod verdicts;
mod zip;

pub use bank::BankRecord;
pub use kind::{FileKind, is_zip};
pub use names::{CheckName, CheckOutcome, CheckReason, CheckResult, PageComparison};
pub use printed::{
    Drawing, MAX_RUNS, PORTAL_NOTICE, PrintedPage, ReadingContext, TextRun, printed_reference,
};
pub use report::CheckReport;
pub use shown_proof::ShownProof;
pub use zip::{ZipBounds, ZipEntry, ZipError, ZipMethod};

/// Maximum size in bytes of a file that is checked; the portal's PDFs have about 30,000.
pub const MAX_FILE_BYTES: usize = 1024 * 1024;

/// A check and its result. It holds names of fields, never a value of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Kind of the check.
    pub name: CheckName,
    /// Passed, failed or not checked.
    pub result: CheckResult,
    /// Reason of a result that isn't `ok`; `None` for `ok`.
    pub reason: Option<CheckReason>,
    /// The fields that contradict the chain or couldn't be compared with it.
    pub fields: Vec<ProofField>,
    /// Name of the XML element or attribute that the reason is about, if any.
    pub element: Option<&'static str>,
}

/// Reason why a file can't be read as a proof.
enum FileError {
    /// The file isn't the XML of a proof.
    Xml(ProofError),
    /// The file isn't the PDF of a proof.
    Pdf(PdfError),
}

/// Reason why a PDF can't be read as a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// The PDF has more than [`MAX_FILE_BYTES`].
    #[error("at most {MAX_FILE_BYTES} bytes are read")]
    TooLarge,
    /// The file isn't a PDF.
    #[error("not a PDF")]
    NotPdf,
    /// The PDF is encrypted; the portal's never are.
    #[error("an encrypted PDF is not accepted")]
    Encrypted,
    /// The PDF has far more pages, objects, text or uncompressed bytes than any proof.
    #[error("far more pages, objects or text than a proof has")]
    TooComplex,
    /// The structure of the PDF can't be read.
    #[error("a damaged PDF")]
    Damaged,
    /// The PDF has no text; it was made from a picture.
    #[error("a PDF without text")]
    NoText,
    /// The original chain, seal or certificate number isn't found under the portal's labels.
    #[error("no original chain, seal or certificate number")]
    NoChain,
    /// The PDF is a receipt that a bank gives to its customer.
    #[error("a bank's receipt")]
    BankReceipt,
    /// The PDF is the portal's report on the state of a payment.
    #[error("a report on the state of a payment")]
    StateReport,
    /// The PDF has more than one proof.
    #[error("more than one proof")]
    SeveralProofs,
}

/// Format of a checked file, and for a PDF the part of the page that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Xml,
    Pdf(printed::Compared),
}

/// A proof read from a file, with the results of reading its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reading {
    proof: Proof,
    source: Source,
    /// The values that the file shows outside the chain.
    shown: Values,
    /// Visible fields whose text can't be parsed.
    unreadable: Vec<ProofField>,
    /// Fields that the visible text lacks.
    missing: Vec<ProofField>,
}

#[cfg(test)]
mod tests;
