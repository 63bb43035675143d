//! SeaORM adapter of the store ports: customers, keys, usage, requests and the audit log, in a
//! SQLite file or on a PostgreSQL server, with the same tables and the same statements.
//!
//! [`Store`] keeps customers and keys, and reads usage; [`Journal`] writes usage and requests, many
//! in one commit, over connections of its own. Any number of processes may open one database.
//!
//! **SQLite** allows one writer at a time, while others read (write-ahead log). A transaction takes
//! the write lock when it begins, so no other write comes between its reads and writes. Writers of
//! one process wait for each other in order; for writers of other processes SQLite waits with
//! growing pauses.
//!
//! **PostgreSQL**, 15 or later, allows concurrent writers, in READ COMMITTED transactions. A
//! mutation locks what it relies on, always in this order: the customer, its keys by their ids, the
//! number of the newest change. Adding a key locks its customer. The row of the newest change is
//! held until the commit, so changes are seen in the order of their numbers. A claim of lookups passes
//! over rows that others have locked, and writes the turns in the order of the customers' ids. A change of
//! a batch locks the batch, its lookups by their ids, and then the use of keys. Text is
//! compared byte by byte, whatever the language of the database, as SQLite does. Every statement has a
//! timeout ([`StoreOptions`]): the server's, and one of our own for a server that is gone without
//! closing its connections.
//!
//! The schema is checked, never changed, by [`Store::check_schema`]; [`Store::migrate`] changes it.

mod audit;
mod batches;
mod connection;
mod entity;
mod erasure;
mod error;
mod group;
mod idempotency;
mod insert;
mod journal;
mod keys;
mod lookups;
mod notifier;
mod own_accounts;
mod participants;
mod people;
mod proofs;
mod prune;
mod queue;
mod read;
mod replicas;
mod schema;
mod seals;
mod secret_fingerprints;
mod serving_role;
mod store;
mod stored;
#[cfg(test)]
mod tests;
mod transaction;
mod usage;
mod webhooks;

pub use connection::{
    FileError, LockError, OpenError, ServerError, ServingLock, StoreOptions, UrlError, sqlite_url,
};
pub use journal::{CommitMetricsSink, Journal};
pub use lookups::NotificationChannel;
pub use prune::{Pruned, Retention};
pub use schema::SchemaError;
pub use serving_role::{GrantError, RoleName};
pub use store::{Connections, Store};
