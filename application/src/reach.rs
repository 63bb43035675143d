//! Who a caller is as a customer, and whose rows its questions reach.

use std::sync::Arc;

use domain::customer::{Customer, CustomerId, Role};
use domain::key::Owner;
use domain::limits::Plan;
use ports::inbound::{Caller, KeyError, RequestedScope};
use ports::outbound::{Clock, CustomerStore, ListError, Random, Scope, StoreError, new_id};

/// Knows callers as customers. The one place in which a caller's reach becomes a scope.
pub(crate) struct Callers {
    customers: Arc<dyn CustomerStore>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
}

impl Callers {
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

    /// The customer that an owner is; made, with the free plan, when it isn't known.
    pub(crate) async fn enrolled(&self, owner: &Owner) -> Result<Customer, StoreError> {
        // Nearly everybody is known, and reading costs less than the writing that `find_or_insert` may be.
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

    /// The customer that a caller is, if it is known.
    pub(crate) async fn known(&self, caller: &Caller) -> Result<Option<Customer>, StoreError> {
        self.customers.customer(&caller.owner).await
    }

    /// What a caller's question reaches; `None` when that is nothing, as the caller isn't known.
    pub(crate) async fn scope(
        &self,
        caller: &Caller,
        reach: RequestedScope,
    ) -> Result<Option<Scope>, KeyError> {
        match reach {
            RequestedScope::Own => {
                let customer = self.known(caller).await?;
                Ok(customer.map(|customer| Scope::Of(customer.id)))
            }
            RequestedScope::All => {
                admins_only(caller)?;
                Ok(Some(Scope::Everybody))
            }
            RequestedScope::Of(customer) => {
                admins_only(caller)?;
                Ok(Some(Scope::Of(customer)))
            }
        }
    }
}

/// Refuses whoever is no admin.
pub(crate) fn admins_only(caller: &Caller) -> Result<(), KeyError> {
    match caller.role {
        Role::Admin => Ok(()),
        Role::Member => Err(KeyError::Forbidden),
    }
}

/// Why a list can't be read, in the words of those who asked for it.
pub(crate) fn unlisted(error: ListError) -> KeyError {
    match error {
        ListError::Cursor(_) => KeyError::Cursor,
        ListError::Store(error) => error.into(),
    }
}
