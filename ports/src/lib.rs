//! Ports: traits for the external services that the application uses ([`outbound`]), and the data that they
//! exchange.
//!
//! Feature `contract` adds a test suite for each port, which every adapter runs.
#![warn(missing_docs)]

#[cfg(feature = "contract")]
pub mod contract;
mod failure;
pub mod outbound;
mod receipt;

pub use failure::{Cause, JournalError, StoreError};
pub use receipt::Receipt;
