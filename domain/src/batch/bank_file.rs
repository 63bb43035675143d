//! The central bank's own batches: the text files that its page for many payments takes, and the names in
//! the ZIP that it mails.

mod entry;
mod lines;

pub use entry::{EntryName, EntryNameError};
pub use lines::{BankFiles, BankLine, BankLineError, MAX_LINES, MIN_LINES, TooFewLines};
