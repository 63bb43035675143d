//! Receipts that banks give to payers: from their text to a query for the proof.
//!
//! A receipt proves nothing, and anybody can edit one. It is only read to ask the bank.

mod page;

pub use page::{
    MAX_FILE_BYTES, MAX_PAGES, MAX_WORDS, Place, ReceiptFileError, ReceiptPage, ReceiptText,
    TextSource, Word,
};
