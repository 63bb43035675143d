//! Owners of keys, and their accounts.

use async_graphql::SimpleObject;
use domain::people::customer;
use domain::people::customer::{Customer, CustomerOverview};
use serde::Serialize;
use utoipa::ToSchema;

use super::limits::{MonthlyUse, Plan};
use super::scalars::{Count, DateTime, Id};

/// Owner or author: a subject of an identity provider.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct Owner {
    /// The provider that vouches for the subject.
    issuer: String,
    /// The subject, unique at its issuer.
    subject: String,
}

impl From<&customer::Owner> for Owner {
    fn from(owner: &customer::Owner) -> Self {
        Self {
            issuer: owner.issuer.clone(),
            subject: owner.subject.clone(),
        }
    }
}

/// An account: the owner of keys, lookups, batches and webhooks.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct Account {
    /// Id of the account.
    id: Id,
    /// Its owner.
    owner: Owner,
    /// Its plan, whose limits new keys start with.
    plan: Plan,
    /// Time at which it was first seen.
    created_at: DateTime,
    /// Its keys that aren't revoked; null outside of the admins' list of accounts.
    #[schema(required)]
    active_keys: Option<Count>,
    /// Use of this month by its keys; null outside of the admins' list of accounts.
    #[schema(required)]
    month: Option<MonthlyUse>,
}

impl From<&Customer> for Account {
    fn from(customer: &Customer) -> Self {
        Self {
            id: customer.id.into(),
            owner: (&customer.owner).into(),
            plan: customer.plan.into(),
            created_at: DateTime(customer.created_at),
            active_keys: None,
            month: None,
        }
    }
}

impl From<&CustomerOverview> for Account {
    fn from(overview: &CustomerOverview) -> Self {
        Self {
            active_keys: Some(Count(overview.active_keys)),
            month: Some(MonthlyUse::new(overview.month, overview.used, None)),
            ..(&overview.customer).into()
        }
    }
}
