//! Batches: many payments in one file.

pub mod bank_file;
pub mod duplicates;
pub mod formula;
pub mod sheet;
