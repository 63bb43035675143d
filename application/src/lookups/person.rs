//! Stored lookups of people with a session.

use std::sync::Arc;

use crate::people::Caller;
use domain::keys::{CounterId, KeyId};
use domain::lookups::LookupId;
use domain::month::Month;
use domain::page::Page;
use domain::people::customer::CustomerId;

use super::person_types::{PersonLookupError, PersonLookupQuery};
use super::types::LookupView;
use ports::outbound::{
    Cancellation, Clock, CustomerStore, KeyStore, LookupFilter, LookupStore, Random, Scope,
};

use super::changes::LookupChanges;
use super::reader::ReadError;
use super::service::LookupService;
use crate::people::Authorization;

/// Dependencies of a [`PersonLookupService`] for reading.
pub struct PersonLookupSources {
    /// Store of the lookups.
    pub store: Arc<dyn LookupStore>,
    /// Keys, for filters by key.
    pub keys: Arc<dyn KeyStore>,
    /// Accounts of the people.
    pub customers: Arc<dyn CustomerStore>,
}

/// Reads and removes the stored lookups of people's own accounts.
pub struct PersonLookupService {
    lookups: Arc<LookupService>,
    sources: PersonLookupSources,
    authorization: Authorization,
    clock: Arc<dyn Clock>,
}

impl PersonLookupService {
    /// Creates a service that reads from `sources`, and cancels and erases with `lookups`.
    pub fn new(
        lookups: Arc<LookupService>,
        sources: PersonLookupSources,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        let customers = Arc::clone(&sources.customers);
        Self {
            lookups,
            sources,
            authorization: Authorization::new(customers, Arc::clone(&clock), random),
            clock,
        }
    }

    /// The person's account; an error if it has none, since it then has no lookups.
    async fn customer(&self, caller: &Caller) -> Result<CustomerId, PersonLookupError> {
        let customer = self.authorization.customer(caller).await?;
        let customer = customer.ok_or(PersonLookupError::NotFound)?;
        Ok(customer.id)
    }

    /// Counters of a key of the customer.
    async fn counters(
        &self,
        customer: CustomerId,
        key: KeyId,
    ) -> Result<CounterId, PersonLookupError> {
        let month = Month::of(self.clock.now());
        let found = self
            .sources
            .keys
            .find(Scope::Of(customer), key, month)
            .await?;
        let found = found.ok_or(PersonLookupError::NotFound)?;
        Ok(found.key.counters)
    }
}

impl PersonLookupService {
    /// Lookups of the account, newest first: one page, without a total.
    ///
    /// # Errors
    /// [`PersonLookupError::NotFound`] for a key of another account, [`PersonLookupError::Cursor`],
    /// [`PersonLookupError::Unreadable`], [`PersonLookupError::Store`].
    pub async fn list(
        &self,
        caller: &Caller,
        query: &PersonLookupQuery,
    ) -> Result<Page<LookupView>, PersonLookupError> {
        let customer = match self.customer(caller).await {
            Ok(customer) => customer,
            // Without an account, a filter by key is an error: the key can't be the person's.
            Err(PersonLookupError::NotFound) if query.key.is_none() => {
                return Ok(Page::of(Vec::new(), query.page.first, None));
            }
            Err(error) => return Err(error),
        };
        let counters = match query.key {
            Some(key) => Some(self.counters(customer, key).await?),
            None => None,
        };
        let filter = LookupFilter {
            environment: query.environment,
            states: query.states.clone(),
            counters,
            created_from: query.created_from,
            batch: query.batch,
        };
        let reader = &self.lookups.reader;
        let page = reader.page(&*self.sources.store, customer, &filter, &query.page);
        Ok(page.await?)
    }

    /// A lookup with its attempts and its proof.
    ///
    /// # Errors
    /// [`PersonLookupError::NotFound`], [`PersonLookupError::Unreadable`],
    /// [`PersonLookupError::Store`].
    pub async fn find(
        &self,
        caller: &Caller,
        id: LookupId,
    ) -> Result<LookupView, PersonLookupError> {
        let customer = self.customer(caller).await?;
        let found = self.sources.store.lookup(customer, id).await?;
        let found = found.ok_or(PersonLookupError::NotFound)?;
        Ok(self
            .lookups
            .reader
            .read(&*self.sources.store, &found)
            .await?)
    }

    /// Follows a lookup's changes until it is final.
    ///
    /// # Errors
    /// Those of [`Self::find`].
    pub async fn changes(
        &self,
        caller: &Caller,
        id: LookupId,
    ) -> Result<LookupChanges, PersonLookupError> {
        let customer = self.customer(caller).await?;
        let found = self.sources.store.lookup(customer, id).await?;
        found.ok_or(PersonLookupError::NotFound)?;
        Ok(LookupChanges {
            lookups: Arc::clone(&self.lookups),
            store: Arc::clone(&self.sources.store),
            customer,
            id,
            last: None,
        })
    }

    /// Cancels a lookup that isn't final.
    ///
    /// # Errors
    /// Those of [`Self::find`], and [`PersonLookupError::Final`].
    pub async fn cancel(
        &self,
        caller: &Caller,
        id: LookupId,
    ) -> Result<LookupView, PersonLookupError> {
        let customer = self.customer(caller).await?;
        match self.lookups.cancel(customer, id).await? {
            Cancellation::Canceled(lookup) => {
                let request_id = &caller.request_id;
                tracing::info!(target: "cep::lookup", %id, %request_id, "a person canceled a lookup");
                Ok(self
                    .lookups
                    .reader
                    .read(&*self.sources.store, &lookup)
                    .await?)
            }
            Cancellation::Final => Err(PersonLookupError::Final),
            Cancellation::Unknown => Err(PersonLookupError::NotFound),
        }
    }

    /// Removes a final lookup with all its data.
    ///
    /// # Errors
    /// [`PersonLookupError::NotFound`], [`PersonLookupError::NotFinal`],
    /// [`PersonLookupError::Store`].
    pub async fn erase(&self, caller: &Caller, id: LookupId) -> Result<(), PersonLookupError> {
        let customer = self.customer(caller).await?;
        if self.lookups.erase(customer, id).await? {
            let request_id = &caller.request_id;
            tracing::info!(target: "cep::lookup", %id, %request_id, "a person erased a lookup");
            return Ok(());
        }
        match self.sources.store.lookup(customer, id).await? {
            Some(_) => Err(PersonLookupError::NotFinal),
            None => Err(PersonLookupError::NotFound),
        }
    }
}

impl From<ReadError> for PersonLookupError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => error.into(),
            ReadError::Cursor(_) => Self::Cursor,
            ReadError::Unreadable(cause) => Self::Unreadable(cause),
        }
    }
}
