//! Errors of batches.

use domain::page::CursorError;

use super::super::{AdmissionError, RepeatError};
use super::BatchPreview;
use ports::Cause;

/// Reason why a use case failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BatchError {
    /// The API key can't be used.
    #[error("the API key can't be used: {0:?}")]
    Refused(AdmissionError),
    /// The API key has read too often.
    #[error("the API key has read too often")]
    TooManyReads {
        /// Reads a minute that a key may make.
        limit: u32,
        /// Time until it may read again.
        retry_after: std::time::Duration,
    },
    /// The request has an idempotency key of another one.
    #[error("the idempotency key belongs to another request: {0:?}")]
    NotRepeated(RepeatError),
    /// A person named no key, or one that its account doesn't have, or that is revoked.
    #[error("the account has no such key")]
    NoSuchKey,
    /// The customer has no such batch.
    #[error("it doesn't exist")]
    Unknown,
    /// None of the rows can be looked up.
    #[error("none of the rows can be looked up")]
    NothingToDo(Box<BatchPreview>),
    /// The customer has too many batches that aren't final.
    #[error("the account has {limit} batches that haven't ended")]
    TooManyOpen {
        /// Batches that may be open at the same time.
        limit: u32,
    },
    /// The customer's batches, with those that have ended, would have too many rows.
    #[error("the account has batches of nearly {limit} rows")]
    TooManyRows {
        /// Rows that may be stored.
        limit: u64,
    },
    /// The account, or all accounts together, read as many batches as they may at the same time.
    #[error("too many downloads are under way")]
    TooManyDownloads,
    /// It is final, so it can't be canceled.
    #[error("the batch has ended")]
    Final,
    /// It isn't final, so it can't be erased.
    #[error("the batch hasn't ended")]
    NotFinal,
    /// It was canceled, so nothing can be imported.
    #[error("the batch was canceled")]
    Canceled,
    /// The cursor is of another list.
    #[error("{0}")]
    Cursor(CursorError),
    /// Something of it can't be decrypted: its secret isn't listed any more, or it was changed.
    #[error("a batch can't be decrypted: {cause}")]
    Unreadable {
        /// For the log.
        cause: Cause,
    },
}
