//! Authorization: customers of callers, and the scopes that they may access.

use std::sync::Arc;

use super::types::Caller;
use crate::keys::{KeyError, RequestedScope};
use domain::limits::Plan;
use domain::people::customer::{Customer, CustomerId, Owner, Role};
use ports::outbound::{Clock, CustomerStore, ListError, Random, Scope, StoreError, new_id};

/// Maps callers to customers, and requested scopes to permitted ones. All such decisions are made here.
pub(crate) struct Authorization {
    customers: Arc<dyn CustomerStore>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
}

impl Authorization {
    pub(crate) fn new(
        customers: Arc<dyn CustomerStore>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        Self {
            customers,
            clock,
            random,
        }
    }

    /// The customer of an owner; created with the free plan if there is none.
    pub(crate) async fn customer_or_new(&self, owner: &Owner) -> Result<Customer, StoreError> {
        // Most owners are known, and reading costs less than the possible write of `find_or_insert`.
        if let Some(known) = self.customers.customer(owner).await? {
            return Ok(known);
        }
        let newcomer = Customer {
            id: CustomerId(new_id(self.clock.as_ref(), self.random.as_ref())),
            owner: owner.clone(),
            plan: Plan::Startup,
            created_at: self.clock.now(),
        };
        self.customers.find_or_insert(&newcomer).await
    }

    /// The caller's customer; `None` if there is none.
    pub(crate) async fn customer(&self, caller: &Caller) -> Result<Option<Customer>, StoreError> {
        self.customers.customer(&caller.owner).await
    }

    /// The requested scope, if the caller may access it; `None` if a caller without a customer requests its
    /// own.
    pub(crate) async fn scope(
        &self,
        caller: &Caller,
        requested: RequestedScope,
    ) -> Result<Option<Scope>, KeyError> {
        match requested {
            RequestedScope::Own => {
                let customer = self.customer(caller).await?;
                Ok(customer.map(|customer| Scope::Of(customer.id)))
            }
            RequestedScope::All => {
                require_admin(caller)?;
                Ok(Some(Scope::Everybody))
            }
            RequestedScope::Of(customer) => {
                require_admin(caller)?;
                Ok(Some(Scope::Of(customer)))
            }
        }
    }
}

/// Refuses callers that aren't admins.
pub(crate) fn require_admin(caller: &Caller) -> Result<(), KeyError> {
    match caller.role {
        Role::Admin => Ok(()),
        Role::Member => Err(KeyError::Forbidden),
    }
}

pub(crate) fn list_error(error: ListError) -> KeyError {
    match error {
        ListError::Cursor(_) => KeyError::Cursor,
        ListError::Store(error) => error.into(),
    }
}
