//! The person who asks, and the admins' list of accounts.

use application::Person;
use async_graphql::{ComplexObject, Context, Enum, Object, SimpleObject};
use domain::page::{Page, PageRequest};
use domain::people::customer::CustomerOverview;
use web::views::people::{Account, Owner};
use web::views::scalars::{Count, DateTime};

use super::connection::{PageInfo, connection};
use super::context::{ports, requester};
use crate::field_error::FieldError;

/// Permissions of a person.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::people::customer::Role")]
pub(crate) enum Role {
    /// Manage its own keys.
    Member,
    /// Manage everybody's keys, limits and plans besides.
    Admin,
}

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
        Ok((&customer).into())
    }
}

impl From<&Person> for Viewer {
    fn from(person: &Person) -> Self {
        Self {
            owner: (&person.owner).into(),
            display_name: person.display_name.clone(),
            role: person.role.into(),
            session_expires_at: DateTime(person.expires_at),
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
            edges: AccountEdge::of(page.items, |account| Account::from(&account)),
        })
    }
}

#[derive(Default)]
pub(crate) struct PersonQuery;

#[Object]
impl PersonQuery {
    /// The person who asks.
    async fn viewer(&self, context: &Context<'_>) -> Viewer {
        Viewer::from(&requester(context).person)
    }
}
