//! Owners of batches, and the errors that their callers see.

use std::sync::Arc;
use std::time::Duration;

use super::error::BatchError;
use super::types::BatchRead;
use crate::admission::AdmissionError;
use domain::customer::CustomerId;
use domain::key::{CountedKey, Environment};
use ports::Cause;
use ports::outbound::{ListError, StoreError};

use crate::admission::Identified;

/// `Retry-After` while the store fails.
const RETRY_AFTER: Duration = Duration::from_secs(5);
/// Reads of a key in a minute.
pub(super) const READS_PER_MINUTE: u32 = 600;

/// Owner of the batches that a caller sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub(super) customer: CustomerId,
    /// `None` for a person.
    pub(super) by: Option<Identified>,
}

/// The key that a batch is created for.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchKey {
    pub(super) key: CountedKey,
    pub(super) environment: Environment,
    /// Its limit.
    pub(super) per_minute: u32,
    /// Requests that its month has left; `None` without a quota.
    pub(super) quota_left: Option<u64>,
}

impl Owner {
    /// The environment whose batches the caller sees; all for a person.
    pub(super) fn environment(&self) -> Option<Environment> {
        self.by.map(|by| by.environment)
    }

    pub(super) fn read<T>(&self, found: T) -> BatchRead<T> {
        BatchRead {
            found,
            key: self.by.map(|by| (by.key.id, by.environment)),
            limit_status: self.by.map(|by| by.limit_status),
        }
    }
}

/// The error of a store that failed.
pub(super) fn store_failed(error: StoreError) -> BatchError {
    unavailable(Arc::new(error))
}

/// The error of a list.
pub(super) fn of_list(error: ListError) -> BatchError {
    match error {
        ListError::Cursor(error) => BatchError::Cursor(error),
        ListError::Store(error) => store_failed(error),
    }
}

pub(super) fn unavailable(cause: Cause) -> BatchError {
    BatchError::Refused(AdmissionError::Unavailable {
        retry_after: RETRY_AFTER,
        cause,
    })
}

pub(super) fn unreadable(cause: Cause) -> BatchError {
    BatchError::Unreadable { cause }
}
