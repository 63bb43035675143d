//! Webhooks, and the deliveries to them.

mod mutation;
mod query;

pub(crate) use mutation::WebhookMutation;
pub(crate) use query::WebhookQuery;
