//! Callers of the use cases of batches.

use std::sync::Arc;
use std::time::Duration;

use domain::customer::CustomerId;
use domain::key::{CountedKey, CounterId, Environment, KeyId};
use domain::month::Month;
use ports::Cause;
use ports::inbound::{AdmissionError, BatchAccess, BatchError, BatchRead, Caller, LookupAccess};
use ports::outbound::{ListError, Scope, StoreError};

use super::service::BatchService;
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

impl BatchService {
    /// Identifies a caller; with a key it may read so often.
    pub(super) async fn owner(&self, access: &BatchAccess) -> Result<Owner, BatchError> {
        match access {
            BatchAccess::Key(access) => self.owner_of_key(access).await,
            BatchAccess::Person(caller) => Ok(Owner {
                customer: self.customer(caller).await?,
                by: None,
            }),
        }
    }

    /// Identifies a caller who creates a batch. A person without an account has no key.
    pub(super) async fn creator(&self, access: &BatchAccess) -> Result<Owner, BatchError> {
        self.owner(access).await.map_err(|error| match error {
            BatchError::Unknown => BatchError::NoSuchKey,
            error => error,
        })
    }

    async fn owner_of_key(&self, access: &LookupAccess) -> Result<Owner, BatchError> {
        let key = access.presented_key.as_deref();
        let identified = self.gatekeeper.identify(key, access.address).await;
        let by = identified.map_err(BatchError::Refused)?;
        let taken = self.reads.take(by.key.id, self.clock.monotonic());
        taken.map_err(|exceeded| BatchError::TooManyReads {
            limit: READS_PER_MINUTE,
            retry_after: exceeded.retry_after,
        })?;
        Ok(Owner {
            customer: by.customer,
            by: Some(by),
        })
    }

    /// The caller's account. A caller without one has no batches and no keys.
    async fn customer(&self, caller: &Caller) -> Result<CustomerId, BatchError> {
        let customer = self.authorization.customer(caller).await;
        let customer = customer.map_err(store_failed)?;
        let customer = customer.ok_or(BatchError::Unknown)?;
        Ok(customer.id)
    }

    /// The key that a caller creates a batch for: the presented one, or one of a person's.
    pub(super) async fn batch_key(
        &self,
        owner: &Owner,
        named: Option<KeyId>,
    ) -> Result<BatchKey, BatchError> {
        if let Some(by) = owner.by {
            return Ok(BatchKey {
                key: by.key,
                environment: by.environment,
            });
        }
        let named = named.ok_or(BatchError::NoSuchKey)?;
        let month = Month::of(self.clock.now());
        let found = self.keys.find(Scope::Of(owner.customer), named, month);
        let found = found.await.map_err(store_failed)?.map(|found| found.key);
        let key = found.filter(|key| key.revoked_at.is_none());
        let key = key.ok_or(BatchError::NoSuchKey)?;
        Ok(BatchKey {
            key: key.counted(),
            environment: key.prefix.environment(),
        })
    }

    /// The counters of one of the customer's keys.
    pub(super) async fn counters(
        &self,
        customer: CustomerId,
        key: KeyId,
    ) -> Result<CounterId, BatchError> {
        let month = Month::of(self.clock.now());
        let found = self.keys.find(Scope::Of(customer), key, month).await;
        let found = found.map_err(store_failed)?;
        Ok(found.ok_or(BatchError::NoSuchKey)?.key.counters)
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
