//! Keys of people's accounts, which requests under a session are charged to.

use std::sync::Arc;

use domain::keys::{KeyId, KeyOverview};
use domain::month::Month;
use domain::people::customer::{Customer, CustomerId};
use ports::outbound::{Clock, CustomerStore, KeyStore, Random, Scope, StoreError};

use super::authorization::Authorization;
use super::types::Caller;
use crate::admission::{AdmissionError, NamedKey};

/// Finds keys of people's own accounts.
pub struct AccountKeys {
    authorization: Authorization,
    keys: Arc<dyn KeyStore>,
    clock: Arc<dyn Clock>,
}

impl AccountKeys {
    /// Creates the service over these customers and keys.
    pub fn new(
        customers: Arc<dyn CustomerStore>,
        keys: Arc<dyn KeyStore>,
        (clock, random): (Arc<dyn Clock>, Arc<dyn Random>),
    ) -> Self {
        Self {
            authorization: Authorization::new(customers, Arc::clone(&clock), random),
            keys,
            clock,
        }
    }

    /// The key of the person's own account to charge a request to.
    ///
    /// # Errors
    /// [`AdmissionError::NoSuchKey`] if the account has no such key or it is revoked, and
    /// [`AdmissionError::Unavailable`] if the store fails.
    pub async fn named(&self, caller: &Caller, id: KeyId) -> Result<NamedKey, AdmissionError> {
        let found = self.found(caller, id).await;
        let found = found.map_err(|error| AdmissionError::unavailable(Arc::new(error)))?;
        let found = found.ok_or(AdmissionError::NoSuchKey)?;
        Ok(NamedKey {
            key: found.key.counted(),
            customer: found.key.customer,
            environment: found.key.prefix.environment(),
        })
    }

    async fn found(&self, caller: &Caller, id: KeyId) -> Result<Option<KeyOverview>, StoreError> {
        match self.customer(caller).await? {
            Some(customer) => self.usable(customer.id, id).await,
            None => Ok(None),
        }
    }

    /// The person's account; `None` if there is none.
    pub(crate) async fn customer(&self, caller: &Caller) -> Result<Option<Customer>, StoreError> {
        self.authorization.customer(caller).await
    }

    /// A key of a customer that isn't revoked.
    pub(crate) async fn usable(
        &self,
        customer: CustomerId,
        id: KeyId,
    ) -> Result<Option<KeyOverview>, StoreError> {
        let found = self.of(customer, id).await?;
        Ok(found.filter(|found| found.key.revoked_at.is_none()))
    }

    /// A key of a customer.
    pub(crate) async fn of(
        &self,
        customer: CustomerId,
        id: KeyId,
    ) -> Result<Option<KeyOverview>, StoreError> {
        let month = Month::of(self.clock.now());
        self.keys.find(Scope::Of(customer), id, month).await
    }
}
