//! Imports of the bank's own batches.

use domain::batch::RowNumber;
use domain::notice::Notice;
use domain::payment::Payment;
use domain::proof::Mismatch;
use domain::seen::EarlierDeliveries;

/// Result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Rows that were delivered, in the order of the batch.
    pub delivered: Vec<DeliveredRow>,
    /// The use of each file, in their order.
    pub files: Vec<FileUse>,
}

/// A row that an import delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveredRow {
    /// The row.
    pub row: RowNumber,
    /// Earlier deliveries of its proof; `None` when they couldn't be read.
    pub seen: Option<EarlierDeliveries>,
    /// Facts about its proof that the seal doesn't tell.
    pub notices: Vec<Notice>,
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
    /// A row asks for its tracking key, and for something else than what is sealed.
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
    /// This row asks for it, and has no proof because of this word of the bank's.
    BankSaysOtherwise {
        /// The row.
        row: RowNumber,
        /// The payment, as the bank knew it at its last answer.
        payment: Payment,
    },
    /// This row of the batch has the same proof: one payment answers one row.
    AnswersAnotherRow(RowNumber),
    /// Its seal is invalid, or of the sandbox in a batch of a live key, and this row asks for it.
    SealInvalid(RowNumber),
    /// No key of its certificate is known, or its seal can't be read, and this row asks for it: anybody could have
    /// made it.
    SealNotChecked(RowNumber),
    /// What stands beside the original chain contradicts it, and this row asks for it.
    Altered(RowNumber),
    /// Its original chain can be read in several ways, and this row asks for it: nobody can tell what is sealed.
    Ambiguous(RowNumber),
    /// A PDF; the batch keeps none.
    PdfNotKept,
    /// A PDF that can't be read, or that is none of a proof.
    PdfUnreadable,
    /// A PDF, and no XML that was delivered with it has its original chain; or another PDF has.
    PdfAlone,
    /// A PDF that wasn't read: those before it took too long.
    PdfNotRead,
}
