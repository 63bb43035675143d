//! Identification of those who ask for batches, and of the keys that they name.

use domain::customer::CustomerId;
use domain::key::{CounterId, KeyId};
use domain::month::Month;
use ports::inbound::{BatchAccess, BatchError, Caller, LookupAccess};
use ports::outbound::Scope;

use super::caller::{BatchKey, Owner, READS_PER_MINUTE, store_failed};
use super::service::BatchService;

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
