//! Customers, keys, use, requests and the audit log in SQL: SQLite, embedded.
//!
//! [`Store`] keeps customers and keys, and reads what was used; [`Journal`] writes use and
//! requests, many in one commit, over a connection of its own. Several processes may open one file:
//! SQLite lets one write at a time, and everybody reads meanwhile (write-ahead log). Statements are
//! written so that PostgreSQL understands them unchanged.
#![warn(missing_docs)]

mod audit;
mod connection;
mod customers;
mod denied;
mod entity;
mod journal;
mod keys;
mod list;
mod prune;
mod row;
mod schema;
mod store;
#[cfg(test)]
mod tests;
mod usage;

pub use connection::{OpenError, ServerFault, StoreOptions, UrlFault, sqlite_url};
pub use journal::Journal;
pub use prune::{Pruned, Retention};
pub use schema::SchemaError;
pub use store::Store;
