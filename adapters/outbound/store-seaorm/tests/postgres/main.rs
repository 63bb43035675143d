//! The store on PostgreSQL: the contracts of its ports, and what is PostgreSQL's own. Each test has
//! a server of its own.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod contract;
mod journal;
mod million;
mod opening;
mod plans;
mod proxy;
mod races;
mod schema;
mod server;
mod support;
mod trouble;
mod watched;
