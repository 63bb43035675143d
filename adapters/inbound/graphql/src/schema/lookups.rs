//! Stored lookups.

mod comparison;
mod mutation;
mod query;
mod views;

pub(crate) use mutation::LookupMutation;
pub(crate) use query::{LookupQuery, LookupSubscription};
pub(super) use views::Lookup;
