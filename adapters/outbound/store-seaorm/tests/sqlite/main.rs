//! The store on SQLite: the contracts of its ports, and what is SQLite's own.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod contract;
mod damage;
mod files;
mod support;
mod trouble;
