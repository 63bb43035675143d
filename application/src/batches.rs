//! Batches: creation, rows, lookups of the rows, and imports of results of the bank's own batches.

mod access;
mod answered;
mod bank_lines;
mod caller;
mod changes;
mod content;
mod creation;
mod draft;
mod encryption;
mod error;
mod feeder;
mod import;
mod import_report;
mod places;
mod reads;
mod row_charges;
mod row_lookup;
mod rows;
mod sent_files;
mod service;
mod types;
mod upload;
mod view;
mod wait;

pub use changes::BatchChanges;
pub use encryption::BatchEncryption;
pub use error::BatchError;
pub use feeder::{BatchFeeder, FeederParts};
pub use import_report::{DeliveredRow, FileUse, ImportReport, UnusedReason};
pub use places::{BatchPlaces, Uploader};
pub use rows::BatchRows;
pub use sent_files::ImportedFiles;
pub use service::{BatchService, BatchSources};
pub use types::{
    BatchAccess, BatchDraft, BatchPreview, BatchQuery, BatchRead, BatchView, CreatedBatch,
    DraftRow, FaultyRow, RepeatableBatch, RowOutcome, RowView, RowWarning,
};
pub use upload::{UploadPlace, UploadedFile};
