//! The store on SQLite: the contract suites of its ports, and SQLite's own behaviour.

mod audit;
mod back_pressure;
mod contract;
mod damage;
mod failures;
mod files;
mod lookups;
mod metrics;
mod open_files;
mod prune;
mod refusals;
mod support;

tests_of_versions!(Some(crate::sqlite::support::Folder::new()));
