//! The executable specification of each outbound port. Every adapter runs the same suites.

pub mod bank;
pub mod journal;
pub mod key_store;
pub mod limiter;
