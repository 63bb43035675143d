//! Errors of batches.

use domain::page::CursorError;

use super::super::{AdmissionError, RepeatError};
use super::BatchPreview;
use ports::Cause;

/// Reason why a use case of batches failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BatchError {
    /// The API key isn't accepted.
    #[error("the API key can't be used: {0:?}")]
    Refused(AdmissionError),
    /// The API key has reached its limit of reads per minute.
    #[error("the API key has read too often")]
    TooManyReads {
        /// Maximum number of reads a minute.
        limit: u32,
        /// Time until the next read is allowed.
        retry_after: std::time::Duration,
    },
    /// The request repeats an idempotency key, and the first answer can't be returned.
    #[error("the idempotency key belongs to another request: {0:?}")]
    NotRepeated(RepeatError),
    /// A person named no key, an unknown one, or a revoked one.
    #[error("the account has no such key")]
    NoSuchKey,
    /// The customer has no such batch.
    #[error("it doesn't exist")]
    Unknown,
    /// The batch has no row that can be looked up. The preview lists the reasons.
    #[error("none of the rows can be looked up")]
    NothingToDo(Box<BatchPreview>),
    /// The customer has reached the maximum number of batches that aren't final.
    #[error("the account has {limit} batches that haven't ended")]
    TooManyOpen {
        /// Maximum number of batches that aren't final.
        limit: u32,
    },
    /// The customer would exceed the maximum number of stored rows, including those of final batches.
    #[error("the account has batches of nearly {limit} rows")]
    TooManyRows {
        /// Maximum number of stored rows.
        limit: u64,
    },
    /// The account, or all accounts together, have reached the maximum number of concurrent downloads.
    #[error("too many downloads are under way")]
    TooManyDownloads,
    /// The batch is final and can't be canceled.
    #[error("the batch has ended")]
    Final,
    /// The batch isn't final and can't be erased.
    #[error("the batch hasn't ended")]
    NotFinal,
    /// The batch is canceled, and nothing can be imported.
    #[error("the batch was canceled")]
    Canceled,
    /// The cursor belongs to another list.
    #[error("{0}")]
    Cursor(CursorError),
    /// Data of the batch can't be decrypted: its secret isn't configured any more, or the data was changed.
    #[error("a batch can't be decrypted: {cause}")]
    Unreadable {
        /// To be logged.
        cause: Cause,
    },
}
