//! The store: the contract suites of its ports on both databases, and what each one does of its own.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod both;
mod postgres;
mod sqlite;
