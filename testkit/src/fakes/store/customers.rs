//! Customers.

use async_trait::async_trait;
use domain::audit::{Action, AuditContext, customer_difference};
use domain::keys::{ApiKey, CountedKey};
use domain::limits::Plan;
use domain::month::Month;
use domain::page::{Page, PageRequest};
use domain::people::customer::{Customer, CustomerId, CustomerOverview, ExistingKeys, Owner};
use ports::outbound::{CustomerStore, ListError, UpdateError};

use super::pages::{find_ignoring_case, newest_first};
use super::{MemoryStore, Result, Tables};

impl Tables {
    fn customer_of(&self, owner: &Owner) -> Option<&Customer> {
        let mut customers = self.customers.values();
        customers.find(|customer| customer.owner == *owner)
    }

    fn customer_overview(&self, customer: &Customer, month: Month) -> CustomerOverview {
        CustomerOverview {
            customer: customer.clone(),
            active_keys: self.active_keys(customer.id).count() as u64,
            month,
            used: self.used_by(month, |key| key.customer == customer.id),
        }
    }
}

#[async_trait]
impl CustomerStore for MemoryStore {
    async fn find_or_insert(&self, newcomer: &Customer) -> Result<Customer> {
        let mut tables = self.call("find_or_insert").await?;
        if let Some(known) = tables.customer_of(&newcomer.owner) {
            return Ok(known.clone());
        }
        tables.customers.insert(newcomer.id, newcomer.clone());
        Ok(newcomer.clone())
    }

    async fn customer(&self, owner: &Owner) -> Result<Option<Customer>> {
        Ok(self.call("customer").await?.customer_of(owner).cloned())
    }

    async fn customers(
        &self,
        text: Option<&str>,
        month: Month,
        request: &PageRequest,
    ) -> Result<Page<CustomerOverview>, ListError> {
        let tables = self.call("customers").await?;
        let is_named = |Owner { issuer, subject }: &Owner, text| {
            [issuer, subject]
                .iter()
                .any(|name| find_ignoring_case(name, text).is_some())
        };
        let customers = tables.customers.values();
        let customers = customers.filter(|it| text.is_none_or(|text| is_named(&it.owner, text)));
        let customers = newest_first(customers, request, |it| (it.created_at, it.id.0))?;
        Ok(customers.map(|customer| tables.customer_overview(customer, month)))
    }

    async fn set_plan(
        &self,
        id: CustomerId,
        plan: Plan,
        existing: ExistingKeys,
        act: &AuditContext,
    ) -> Result<(Customer, Vec<CountedKey>), UpdateError> {
        let mut tables = self.call("set_plan").await?;
        tables.is_new(act)?;
        let customer = tables.customers.get_mut(&id).ok_or(UpdateError::NotFound)?;
        let before = customer.clone();
        customer.plan = plan;
        let customer = customer.clone();
        if customer != before {
            let changes = customer_difference(&before, &customer);
            tables.append_entry(act, Action::PlanSet, id, None, changes);
        }
        if existing == ExistingKeys::Keep {
            return Ok((customer, Vec::new()));
        }
        let others = tables.active_keys(id);
        let others = others.filter(|key| key.limits != plan.limits());
        let others: Vec<_> = others.map(ApiKey::counted).collect();
        for key in &others {
            tables.change(key.id, Action::LimitsSet, act, |key| {
                key.limits = plan.limits();
            })?;
        }
        Ok((customer, others))
    }
}
