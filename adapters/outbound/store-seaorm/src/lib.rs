//! Keys, counters and requests in SQL: SQLite, embedded.
//!
//! [`Store`] keeps keys and reads counters; [`Journal`] writes counters and requests, many in one
//! commit, over a connection of its own. Several processes may open one file: SQLite lets one
//! write at a time, and everybody reads meanwhile (write-ahead log). Statements are written so
//! that PostgreSQL understands them unchanged.
#![warn(missing_docs)]

mod connection;
mod entity;
mod journal;
mod keys;
mod store;

pub use connection::{OpenError, StoreOptions, sqlite_url};
pub use journal::Journal;
pub use store::Store;
