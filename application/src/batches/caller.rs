//! Owners of batches, and errors that several use cases return.

use std::sync::Arc;

use super::error::BatchError;
use super::types::BatchRead;
use crate::admission::AdmissionError;
use domain::keys::{CountedKey, Environment};
use domain::people::customer::CustomerId;
use ports::Cause;
use ports::outbound::{ListError, StoreError};

use crate::admission::Identified;

/// Maximum number of reads a minute with one API key.
pub(super) const READS_PER_MINUTE: u32 = 600;

/// The caller's account and key, which decide the batches that it may see.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub(super) customer: CustomerId,
    /// The presented key; `None` for a person with a session.
    pub(super) by: Option<Identified>,
}

/// The key that a new batch is charged to.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchKey {
    pub(super) key: CountedKey,
    pub(super) environment: Environment,
    /// Limit per minute of the key.
    pub(super) per_minute: u32,
    /// Requests left of the monthly quota; `None` without a quota.
    pub(super) quota_left: Option<u64>,
}

impl Owner {
    /// The environment whose batches are visible; `None` (all) for a person.
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

pub(super) fn store_failed(error: StoreError) -> BatchError {
    unavailable(Arc::new(error))
}

pub(super) fn of_list(error: ListError) -> BatchError {
    match error {
        ListError::Cursor(error) => BatchError::Cursor(error),
        ListError::Store(error) => store_failed(error),
    }
}

pub(super) fn unavailable(cause: Cause) -> BatchError {
    BatchError::Refused(AdmissionError::unavailable(cause))
}

pub(super) fn unreadable(cause: Cause) -> BatchError {
    BatchError::Unreadable { cause }
}
