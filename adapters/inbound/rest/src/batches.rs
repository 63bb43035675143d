//! Batches: many payments in one file.

mod import_archive;
mod table;
