//! Users and their accounts.

use application::Person;
use async_graphql::{ComplexObject, Context, ID, SimpleObject};
use domain::page::{Page, PageRequest};
use domain::people::customer::{Customer, CustomerOverview};

use super::connection::{PageInfo, connection};
use super::context::{ports, requester};
use super::enums::{Plan, Role};
use super::scalars::{Count, DateTime};
use crate::field_error::FieldError;

/// The person who asks.
#[derive(SimpleObject)]
#[graphql(complex)]
pub(crate) struct Viewer {
    /// Its identity.
    owner: Owner,
    /// Its name or address, as the identity provider gives it.
    display_name: Option<String>,
    /// Its permissions.
    role: Role,
    /// End of its session.
    session_expires_at: DateTime,
}

#[ComplexObject]
impl Viewer {
    /// Its account; made, with the free plan, when it is asked for for the first time.
    async fn account(&self, context: &Context<'_>) -> Result<Account, FieldError> {
        let caller = &requester(context).caller;
        let customer = ports(context).insights.customer(caller).await?;
        Ok(customer.into())
    }
}

impl From<&Person> for Viewer {
    fn from(person: &Person) -> Self {
        Self {
            owner: person.owner.clone().into(),
            display_name: person.display_name.clone(),
            role: person.role.into(),
            session_expires_at: person.expires_at.into(),
        }
    }
}

/// Owner or author: a subject of an identity provider.
#[derive(SimpleObject)]
pub(crate) struct Owner {
    /// The provider that vouches for the subject.
    issuer: String,
    /// The subject, unique at its issuer.
    subject: String,
}

impl From<domain::people::customer::Owner> for Owner {
    fn from(owner: domain::people::customer::Owner) -> Self {
        Self {
            issuer: owner.issuer,
            subject: owner.subject,
        }
    }
}

/// An account: who keys belong to.
#[derive(SimpleObject)]
pub(crate) struct Account {
    /// Its identity.
    id: ID,
    /// Its owner.
    owner: Owner,
    /// Its plan, whose limits new keys start with.
    plan: Plan,
    /// Time at which it was first seen.
    created_at: DateTime,
    /// Its keys that aren't revoked; null outside of the admins' list of accounts.
    active_keys: Option<Count>,
    /// Use of this month by its keys, without refunds; null outside of the admins'
    /// list of accounts.
    used_this_month: Option<Count>,
}

impl From<Customer> for Account {
    fn from(customer: Customer) -> Self {
        Self {
            id: customer.id.into(),
            owner: customer.owner.into(),
            plan: customer.plan.into(),
            created_at: customer.created_at.into(),
            active_keys: None,
            used_this_month: None,
        }
    }
}

impl From<CustomerOverview> for Account {
    fn from(overview: CustomerOverview) -> Self {
        Self {
            active_keys: Some(Count(overview.active_keys)),
            used_this_month: Some(Count(overview.used.net())),
            ..overview.customer.into()
        }
    }
}

connection! {
    /// One page of the accounts, newest first.
    AccountConnection,
    /// An account and its place in the list.
    AccountEdge of Account,
    total_count: Count =
        /// Accounts of the whole list, all pages together.
}

impl AccountConnection {
    pub(super) fn new(
        page: Page<CustomerOverview>,
        request: &PageRequest,
    ) -> Result<Self, FieldError> {
        Ok(Self {
            page_info: PageInfo::new(&page, request),
            total_count: Count(page.total.ok_or(FieldError::TotalMissing)?),
            edges: AccountEdge::of(page.items, Account::from),
        })
    }
}
