//! The GraphQL API over HTTP.
#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on says so by panicking"
)]

mod abuse;
mod bank_health;
mod batches;
mod data;
mod examples;
mod failures;
mod harness;
mod inputs;
mod logs;
mod lookups;
mod mutations;
mod partial_results;
mod port_calls;
mod queries;
mod receipt_comparison;
mod schema;
mod stored;
mod transport;
mod webhooks;
