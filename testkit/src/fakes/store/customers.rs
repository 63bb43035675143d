//! Customers.

use async_trait::async_trait;
use domain::audit::{Action, AuditContext, customer_difference};
use domain::customer::{Customer, CustomerId, CustomerOverview, ExistingKeys, Owner};
use domain::key::{ApiKey, CountedKey};
use domain::limits::{MonthlyUse, Plan};
use domain::month::Month;
use domain::page::{Cursor, Direction, Page, PageRequest};
use ports::outbound::{CustomerStore, ListError, StoreError, UpdateError};

use super::pages::{by_instant, contains_ignoring_case, page};
use super::{MemoryStore, Tables};

impl Tables {
    fn customer_of(&self, owner: &Owner) -> Option<&Customer> {
        let mut customers = self.customers.values();
        customers.find(|customer| customer.owner == *owner)
    }

    fn customer_overview(&self, customer: &Customer, month: Month) -> CustomerOverview {
        let keys = self.keys.values().map(|stored| &stored.record.key);
        let keys = keys.filter(|key| key.customer == customer.id);
        let used = keys.filter_map(|key| self.used.get(&(key.id, month)));
        let add = |sum: MonthlyUse, used: &MonthlyUse| MonthlyUse {
            charged: sum.charged + used.charged,
            refunded: sum.refunded + used.refunded,
        };
        CustomerOverview {
            customer: customer.clone(),
            active_keys: self.active_keys(customer.id).count() as u64,
            month,
            used: used.fold(MonthlyUse::default(), add),
        }
    }
}

#[async_trait]
impl CustomerStore for MemoryStore {
    async fn find_or_insert(&self, newcomer: &Customer) -> Result<Customer, StoreError> {
        let mut tables = self.call("find_or_insert").await?;
        if let Some(known) = tables.customer_of(&newcomer.owner) {
            return Ok(known.clone());
        }
        tables.customers.insert(newcomer.id, newcomer.clone());
        Ok(newcomer.clone())
    }

    async fn customer(&self, owner: &Owner) -> Result<Option<Customer>, StoreError> {
        Ok(self.call("customer").await?.customer_of(owner).cloned())
    }

    async fn customers(
        &self,
        text: Option<&str>,
        month: Month,
        request: &PageRequest,
    ) -> Result<Page<CustomerOverview>, ListError> {
        let tables = self.call("customers").await?;
        let named = |owner: &Owner, text| {
            contains_ignoring_case(&owner.issuer, text)
                || contains_ignoring_case(&owner.subject, text)
        };
        let customers = tables.customers.values();
        let customers =
            customers.filter(|customer| text.is_none_or(|text| named(&customer.owner, text)));
        let cursor = |customer: &&Customer| Cursor::at(customer.created_at, customer.id.0);
        let customers = page(
            customers,
            request,
            Direction::Descending,
            cursor,
            by_instant,
        )?;
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
