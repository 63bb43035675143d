//! Notices about a receipt, and fields that it lacks.

use super::field::ReceiptField;
use crate::variants::named_enum;

named_enum! {
    /// Type of a document.
    pub enum DocumentKind {
        /// A receipt that a bank gave to the payer, or a text with the data of a transfer.
        Receipt,
        /// A proof (CEP): the file itself can be verified.
        Proof,
        /// An invoice of the tax authority (CFDI).
        Invoice,
        /// The portal's report on the state of a payment.
        StateReport,
        /// None of these.
        Unknown,
    }
}

named_enum! {
    /// Notice about a receipt.
    pub enum ReceiptNotice {
        /// The payment was programmed, or is being processed: it isn't paid.
        NotPaidYet,
        /// The payment was refused or canceled.
        Refused,
        /// The payment was returned to the payer.
        Returned,
        /// Payer and beneficiary have the same bank: there is no proof.
        WithinOneBank,
        /// The data of more than one transfer.
        SeveralReceipts,
        /// The value of the tracking key's label looks like a reference.
        KeyIsReference,
        /// A folio or an authorisation of the bank stands in the place of the tracking key.
        FolioIsNoKey,
        /// The check digit of the account is wrong.
        WrongCheckDigit,
        /// The bank that the receipt names isn't the one of the CLABE.
        ReceiverDiffers,
        /// The bank that the receipt names isn't the one whose tracking keys have this shape.
        IssuerDiffers,
        /// The date in the tracking key is another one.
        KeyDateDiffers,
        /// The transfer was made around midnight, so its date may be the day before or after.
        AroundMidnight,
        /// The account is none of the reader's own ones.
        AccountNotOwn,
        /// An amount is told in another currency than pesos.
        ForeignCurrency,
        /// Characters were replaced by those that look like them.
        Corrected,
    }
}

named_enum! {
    /// Reason why a field that a query needs is missing.
    pub enum MissingReason {
        /// Nothing on the receipt could be it.
        NotFound,
        /// The account is masked.
        Masked,
        /// Several values could be it, or the one that was read is in doubt.
        Unclear,
        /// Neither named by the receipt nor told by the tracking key or the account.
        NotTold,
    }
}

/// A field that a query needs and the receipt doesn't tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingField {
    /// The field.
    pub field: ReceiptField,
    /// The reason.
    pub reason: MissingReason,
}
