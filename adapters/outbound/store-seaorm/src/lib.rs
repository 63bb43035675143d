//! Customers, keys, use, requests and the audit log in SQL: in a SQLite file, or on a PostgreSQL
//! server, with the same tables and the same statements.
//!
//! [`Store`] keeps customers and keys, and reads what was used; [`Journal`] writes use and
//! requests, many in one commit, over connections of its own. Any number of processes may open one
//! database.
//!
//! **SQLite** lets one write at a time, and everybody reads meanwhile (write-ahead log). A step
//! begins by taking its turn, so nobody comes in between.
//!
//! **PostgreSQL**, 15 or later, lets everybody write at once, in transactions that are READ
//! COMMITTED. What a step relies on it locks, always in this order: the customer, its keys by their
//! ids, the number of the newest change. Whoever adds a key holds its customer. The row of the newest
//! change is held until the commit, so changes are seen in the order of their numbers. Text is
//! compared byte by byte, whatever the language of the database, as SQLite does. Every statement
//! ends in time ([`StoreOptions`]): the server sees to it, and a clock of our own where the server
//! is gone without a word.
//!
//! The schema is looked at, never changed, by [`Store::check_schema`]; [`Store::migrate`] changes it.
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
mod secret_marks;
mod store;
#[cfg(test)]
mod tests;
mod usage;

pub use connection::{
    FileProblem, LockError, OpenError, ServerFault, ServingLock, StoreOptions, UrlFault, sqlite_url,
};
pub use journal::{CommitMetricsSink, Journal};
pub use prune::{Pruned, Retention};
pub use schema::SchemaError;
pub use store::{Connections, Store};
