//! Imports of the bank's own batches.

use domain::batch::RowNumber;
use domain::proof::Mismatch;

/// Result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Rows that were delivered, in the order of the batch.
    pub delivered: Vec<RowNumber>,
    /// The use of each file, in their order.
    pub files: Vec<FileUse>,
}

/// Use of an imported file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileUse {
    /// It was delivered to this row.
    Delivered(RowNumber),
    /// It wasn't used.
    Unused(UnusedReason),
}

/// Reason why an imported file wasn't used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnusedReason {
    /// It is neither a proof nor a PDF.
    NotAProof,
    /// No row asks for its tracking key.
    NoRow,
    /// A row asks for its tracking key, and for something else besides.
    Differs {
        /// The row whose question is the nearest.
        row: RowNumber,
        /// The differences.
        mismatches: Vec<Mismatch>,
    },
    /// The row that asks for it has a proof.
    AlreadyDelivered(RowNumber),
    /// The row that asks for it was canceled.
    RowCanceled(RowNumber),
    /// Its seal is invalid, and this row asks for it.
    SealInvalid(RowNumber),
    /// A PDF; the batch keeps none.
    PdfNotKept,
    /// A PDF that can't be read, or that is none of a proof.
    PdfUnreadable,
    /// A PDF, and no XML that was delivered with it has its original chain; or another PDF has.
    PdfAlone,
    /// A PDF that wasn't read: those before it took too long.
    PdfNotRead,
}
