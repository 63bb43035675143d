//! Keys, counters and requests in SQL, through SeaORM: SQLite is the embedded default.
//!
//! [`Store`] keeps keys; its [`Journal`] writes down what is used, many requests a commit. All SQL
//! is of the kind that SQLite and PostgreSQL share.

mod api_key;
mod fault;
mod journal;
mod keys;
mod store;
mod tally;
mod writer;

pub use journal::Journal;
pub use store::Store;
