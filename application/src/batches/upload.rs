//! Uploads of files for batches.

use std::fmt;

/// Kinds of uploaded files, which have separate limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadedFile {
    /// A table of payments, to create a batch.
    Table,
    /// A ZIP file of the bank, to import.
    Archive,
}

/// A place in the limit of an account's uploads, occupied until this is dropped.
pub struct UploadPlace {
    _held: Box<dyn Send + Sync>,
}

impl UploadPlace {
    /// Creates a place that keeps `held` until it is dropped.
    pub fn new(held: impl Send + Sync + 'static) -> Self {
        Self {
            _held: Box::new(held),
        }
    }
}

impl fmt::Debug for UploadPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("UploadPlace")
            .finish_non_exhaustive()
    }
}
