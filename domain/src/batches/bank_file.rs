//! Text files for the batch page of the central bank's portal.

mod lines;

pub use lines::{BankFiles, BankLine, BankLineError, MAX_LINES, MIN_LINES, TooFewLines};
