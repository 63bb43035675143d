//! The central bank's own batches: the text files that its page for many payments takes.

mod lines;

pub use lines::{BankFiles, BankLine, BankLineError, MAX_LINES, MIN_LINES, TooFewLines};
