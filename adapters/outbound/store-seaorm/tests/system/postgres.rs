//! The store on PostgreSQL: the contract suites of its ports, and PostgreSQL's own behaviour. Each
//! test has a database of its own.

mod auto_explain;
mod concurrency;
mod contract;
mod failures;
mod journal;
mod lookups;
mod million_rows;
mod notifications;
mod opening;
mod plans;
mod proxy;
mod schema;
mod server;
mod serving_role;

tests_of_versions!(crate::postgres::server::TestDatabase::empty());
