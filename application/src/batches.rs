//! Batches: their creation, their rows, the lookups that are made of them, and imports of the bank's own
//! batches.

mod access;
mod bank_lines;
mod caller;
mod canceled;
mod changes;
mod content;
mod creation;
mod draft;
mod encryption;
mod feeder;
mod import;
mod places;
mod row_charges;
mod row_lookup;
mod rows;
mod sent_files;
mod service;
mod view;
mod wait;

pub use encryption::BatchEncryption;
pub use feeder::{BatchFeeder, FeederParts};
pub use places::BatchPlaces;
pub use sent_files::ImportedFiles;
pub use service::{BatchService, BatchSources};
