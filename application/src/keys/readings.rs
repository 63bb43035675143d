//! Reading of keys for people.

use super::service::{KeyService, Readings};
use super::types::{KeyError, RequestedScope};
use domain::keys::{ApiKey, KeyId, KeyOverview, KeyQuery, RevokedKeys};
use domain::month::Month;
use domain::page::{Page, PageRequest};

use crate::people::{Caller, list_error};

impl KeyService {
    /// One page of keys within the requested scope.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn list(
        &self,
        caller: &Caller,
        requested: RequestedScope,
        query: &KeyQuery,
    ) -> Result<Page<KeyOverview>, KeyError> {
        let Readings {
            keys,
            authorization,
        } = &self.readings;
        let Some(scope) = authorization.scope(caller, requested).await? else {
            return Ok(Page::of(Vec::new(), query.page.first, Some(0)));
        };
        let page = keys.list(scope, Month::of(self.clock.now()), query).await;
        page.map_err(list_error)
    }

    /// The caller's keys, newest first: one page, without a total.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn own(
        &self,
        caller: &Caller,
        revoked: RevokedKeys,
        page: &PageRequest,
    ) -> Result<Page<ApiKey>, KeyError> {
        let Readings {
            keys,
            authorization,
        } = &self.readings;
        let Some(customer) = authorization.customer(caller).await? else {
            return Ok(Page::of(Vec::new(), page.first, None));
        };
        let page = keys.of_customer(customer.id, revoked, page).await;
        page.map_err(list_error)
    }

    /// A key within the requested scope, with its use of this month.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn find(
        &self,
        caller: &Caller,
        requested: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        let Readings {
            keys,
            authorization,
        } = &self.readings;
        let scope = authorization.scope(caller, requested).await?;
        let scope = scope.ok_or(KeyError::NotFound)?;
        let found = keys.find(scope, id, Month::of(self.clock.now())).await?;
        found.ok_or(KeyError::NotFound)
    }
}
