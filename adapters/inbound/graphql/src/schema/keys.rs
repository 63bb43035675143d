//! API keys.

mod filter;
mod mutation;
mod query;
mod views;

pub(super) use filter::{KeyFilter, KeySortInput, key_query};
pub(crate) use mutation::KeyMutation;
pub(super) use mutation::KeyPayload;
pub(crate) use query::KeyQuery;
pub(super) use query::{list, one};
pub(super) use views::{Key, KeyConnection};
