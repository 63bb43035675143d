//! Uploads of files for batches.

use crate::sync::places::Place;

/// Kinds of uploaded files, which have separate limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadedFile {
    /// A table of payments, to create a batch.
    Table,
    /// A ZIP file of the bank, to import.
    Archive,
}

/// A place in the limit of an account's uploads, occupied until this is dropped.
#[derive(Debug)]
pub struct UploadPlace(#[expect(dead_code, reason = "dropping it frees the place")] Place);

impl From<Place> for UploadPlace {
    fn from(place: Place) -> Self {
        Self(place)
    }
}
