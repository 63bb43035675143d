//! Reading of keys for people.

use std::sync::Arc;

use super::types::{KeyError, RequestedScope};
use crate::people::Caller;
use domain::keys::{ApiKey, KeyId, KeyOverview, KeyQuery, RevokedKeys};
use domain::month::Month;
use domain::page::{Page, PageRequest};
use ports::outbound::{Clock, KeyStore};

use crate::people::{Authorization, list_error};

/// Reads keys for people; may use other database connections than admissions.
pub(super) struct KeyReader {
    pub(super) keys: Arc<dyn KeyStore>,
    pub(super) authorization: Authorization,
    pub(super) clock: Arc<dyn Clock>,
}

impl KeyReader {
    pub(super) async fn list(
        &self,
        caller: &Caller,
        requested: RequestedScope,
        query: &KeyQuery,
    ) -> Result<Page<KeyOverview>, KeyError> {
        let Some(scope) = self.authorization.scope(caller, requested).await? else {
            return Ok(Page::of(Vec::new(), query.page.first, Some(0)));
        };
        let page = self.keys.list(scope, self.month(), query).await;
        page.map_err(list_error)
    }

    pub(super) async fn own(
        &self,
        caller: &Caller,
        revoked: RevokedKeys,
        page: &PageRequest,
    ) -> Result<Page<ApiKey>, KeyError> {
        let Some(customer) = self.authorization.customer(caller).await? else {
            return Ok(Page::of(Vec::new(), page.first, None));
        };
        let page = self.keys.of_customer(customer.id, revoked, page).await;
        page.map_err(list_error)
    }

    pub(super) async fn find(
        &self,
        caller: &Caller,
        requested: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        let scope = self.authorization.scope(caller, requested).await?;
        let scope = scope.ok_or(KeyError::NotFound)?;
        let found = self.keys.find(scope, id, self.month()).await?;
        found.ok_or(KeyError::NotFound)
    }

    fn month(&self) -> Month {
        Month::of(self.clock.now())
    }
}
