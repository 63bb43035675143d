//! Failures of a download after its headers were sent.

use application::BatchError;
use zip::result::ZipError;

/// Reading the rows failed. The connection is closed, so that clients don't take the partial body for a
/// complete one.
#[derive(Debug, thiserror::Error)]
#[error("the rows can't be read: {0:?}")]
pub(super) struct CutOff(pub(super) BatchError);

/// Error that aborts a file.
#[derive(Debug, thiserror::Error)]
pub(super) enum Interrupted {
    #[error(transparent)]
    Rows(#[from] CutOff),
    #[error("the ZIP could not be written: {0}")]
    Zip(#[from] ZipError),
    #[error("the workbook could not be written: {0}")]
    Workbook(#[from] std::io::Error),
    #[error("the file was given up: {0}")]
    Task(#[from] tokio::task::JoinError),
}
