//! Batches of many payments, and their rows.

mod mutation;
mod query;
mod rows;

pub(crate) use mutation::BatchMutation;
pub(crate) use query::{BatchQuery, BatchSubscription};
