//! Places of uploads.

use std::fmt;

/// Kinds of files that are uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadedFile {
    /// A table of payments.
    Table,
    /// The bank's ZIP file.
    Archive,
}

/// A place among an account's uploads, held until it is dropped.
pub struct UploadPlace {
    _held: Box<dyn Send + Sync>,
}

impl UploadPlace {
    /// Holds what keeps the place.
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
