//! Receipts that banks give to payers: from their text to a query for the proof.
//!
//! A receipt proves nothing, and anybody can edit one. It is only read to ask the bank.

mod candidates;
mod comparison;
mod field;
mod file;
mod labels;
mod lines;
mod link;
mod notice;
mod own_account;
mod page;
mod phrases;
mod raised_cents;
mod reading;
mod shapes;
#[cfg(test)]
mod tests;

pub use comparison::{
    ComparedField, ReceiptValue, ReceiptValueError, ReceiptValueProblem, compare,
};
pub use field::{MAX_ALTERNATIVES, MAX_VALUE_LENGTH, ReadConfidence, ReadField, ReceiptField};
pub use file::{MAX_FILE_BYTES, ReceiptFile, UnreadType};
pub use link::PortalLink;
pub use notice::{DocumentKind, MissingField, MissingReason, ReceiptNotice};
pub use page::{
    MAX_PAGES, MAX_WORDS, Place, ReceiptFileError, ReceiptPage, ReceiptText, TextSource, Word,
};
pub use reading::Receipt;
