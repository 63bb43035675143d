//! The store on SQLite: the contracts of its ports, and what is SQLite's own.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod audit;
mod contract;
mod damage;
mod files;
mod holding_back;
mod open_files;
mod prune;
mod refusals;
mod support;
mod trouble;
mod upgrade;
mod watched;
