//! Reports of imports.

use domain::batches::RowNumber;
use domain::payment::Payment;
use domain::proofs::Mismatch;
use domain::proofs::notice::Notice;
use domain::proofs::seen::EarlierDeliveries;

/// Result of importing files into a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Rows that were delivered by the import, in row order.
    pub delivered: Vec<DeliveredRow>,
    /// Use of each file, in the order of the files.
    pub files: Vec<FileUse>,
}

/// A row that was delivered by an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveredRow {
    /// Number of the row.
    pub row: RowNumber,
    /// Earlier deliveries of the proof; `None` if they couldn't be read.
    pub seen: Option<EarlierDeliveries>,
    /// Notices about facts of the proof that the seal doesn't cover.
    pub notices: Vec<Notice>,
}

/// Use of an imported file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileUse {
    /// The file was delivered to this row.
    Delivered(RowNumber),
    /// The file wasn't used, for this reason.
    Unused(UnusedReason),
}

/// Reason why an imported file wasn't used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnusedReason {
    /// The file is neither a proof nor a PDF.
    NotAProof,
    /// No row has the proof's tracking key.
    NoRow,
    /// A row has the proof's tracking key, but other values than the sealed ones.
    Differs {
        /// The row with the fewest differences.
        row: RowNumber,
        /// The fields that differ.
        mismatches: Vec<Mismatch>,
    },
    /// The matching row has a proof already.
    AlreadyDelivered(RowNumber),
    /// The matching row is canceled.
    RowCanceled(RowNumber),
    /// The bank's last answer about the matching row's payment contradicts the proof.
    BankSaysOtherwise {
        /// Number of the matching row.
        row: RowNumber,
        /// The payment by the bank's last answer.
        payment: Payment,
    },
    /// This other row has the same proof; one payment answers one row.
    AnswersAnotherRow(RowNumber),
    /// The proof matches this row, but its seal is invalid, or is the sandbox's in a batch of a live key.
    SealInvalid(RowNumber),
    /// The proof matches this row, but its seal couldn't be checked: the key of its certificate is unknown,
    /// or the seal is unreadable. It may be forged.
    SealNotChecked(RowNumber),
    /// The proof matches this row, but fields outside the original chain contradict the chain.
    Altered(RowNumber),
    /// The proof matches this row, but its original chain can be parsed in several ways, so it is unknown
    /// which values are sealed.
    Ambiguous(RowNumber),
    /// A PDF, in a batch that keeps only XML files.
    PdfNotKept,
    /// A PDF that can't be read, or isn't a proof.
    PdfUnreadable,
    /// A PDF whose original chain is that of no XML delivered by this import, or of one that has a PDF
    /// already.
    PdfAlone,
    /// A PDF that wasn't read because the time for reading PDFs was used up.
    PdfNotRead,
}
