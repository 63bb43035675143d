//! The store on SQLite: the contracts of its ports, and what is SQLite's own.

mod contract;
mod files;
mod support;
mod trouble;
