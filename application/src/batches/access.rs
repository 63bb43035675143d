//! Identification of callers, and of the keys that they name.

use super::error::BatchError;
use super::types::{BatchAccess, BatchView};
use crate::lookups::LookupAccess;
use crate::people::Caller;
use domain::keys::{CounterId, KeyId, KeyOverview};
use domain::people::customer::CustomerId;
use ports::outbound::StoredBatch;

use super::caller::{BatchKey, Owner, READS_PER_MINUTE, store_failed};
use super::service::BatchService;
use super::view::KeyLimits;

impl BatchService {
    /// Identifies a caller. Reads with an API key are limited per minute.
    pub(super) async fn owner(&self, access: &BatchAccess) -> Result<Owner, BatchError> {
        match access {
            BatchAccess::Key(access) => self.owner_of_key(access).await,
            BatchAccess::Person(caller) => Ok(Owner {
                customer: self.customer(caller).await?,
                by: None,
            }),
        }
    }

    /// Identifies a caller who creates a batch. A person without an account has no key to charge.
    pub(super) async fn creator(&self, access: &BatchAccess) -> Result<Owner, BatchError> {
        self.owner(access).await.map_err(|error| match error {
            BatchError::Unknown => BatchError::NoSuchKey,
            error => error,
        })
    }

    async fn owner_of_key(&self, access: &LookupAccess) -> Result<Owner, BatchError> {
        let key = access.presented_key.as_deref();
        let identified = self.sources.gatekeeper.identify(key, access.address).await;
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

    /// The person's account; an error if it has none, since it then has no batches.
    async fn customer(&self, caller: &Caller) -> Result<CustomerId, BatchError> {
        let customer = self.sources.account_keys.customer(caller).await;
        let customer = customer.map_err(store_failed)?;
        let customer = customer.ok_or(BatchError::Unknown)?;
        Ok(customer.id)
    }

    /// The key to charge for a new batch: the presented one, or the one that a person names.
    pub(super) async fn batch_key(
        &self,
        owner: &Owner,
        named: Option<KeyId>,
    ) -> Result<BatchKey, BatchError> {
        if let Some(by) = owner.by {
            return Ok(BatchKey {
                key: by.key,
                environment: by.environment,
                per_minute: by.limit_status.minute.limit,
                quota_left: by.limit_status.month.map(|month| month.remaining()),
            });
        }
        let named = named.ok_or(BatchError::NoSuchKey)?;
        let account_keys = &self.sources.account_keys;
        let found = account_keys.usable(owner.customer, named).await;
        let found = found.map_err(store_failed)?;
        let found = found.ok_or(BatchError::NoSuchKey)?;
        Ok(BatchKey {
            key: found.key.counted(),
            environment: found.key.prefix.environment(),
            per_minute: found.key.limits.per_minute(),
            quota_left: found.remaining(),
        })
    }

    /// Counters of a key of the customer.
    pub(super) async fn counters(
        &self,
        customer: CustomerId,
        key: KeyId,
    ) -> Result<CounterId, BatchError> {
        let found = self.key_of(customer, key).await?;
        Ok(found.ok_or(BatchError::NoSuchKey)?.key.counters)
    }

    /// Decrypted view of a batch, for its owner.
    pub(super) async fn view(
        &self,
        owner: &Owner,
        batch: &StoredBatch,
    ) -> Result<BatchView, BatchError> {
        let limits = self.key_limits(owner, &[batch]).await?;
        self.views.view(&limits, batch)
    }

    /// Limits per minute of the keys of those batches that aren't final.
    pub(super) async fn key_limits(
        &self,
        owner: &Owner,
        batches: &[&StoredBatch],
    ) -> Result<KeyLimits, BatchError> {
        let mut limits = KeyLimits::new();
        for batch in batches {
            let key = batch.facts.key.id;
            if batch.state.is_final() || limits.contains_key(&key) {
                continue;
            }
            let own = owner.by.filter(|by| by.key.id == key);
            let per_minute = if let Some(by) = own {
                Some(by.limit_status.minute.limit)
            } else {
                let found = self.key_of(owner.customer, key).await?;
                found.map(|found| found.key.limits.per_minute())
            };
            limits.insert(key, per_minute);
        }
        Ok(limits)
    }

    async fn key_of(
        &self,
        customer: CustomerId,
        key: KeyId,
    ) -> Result<Option<KeyOverview>, BatchError> {
        let found = self.sources.account_keys.of(customer, key).await;
        found.map_err(store_failed)
    }
}
