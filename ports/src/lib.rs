//! Ports: the services that the application asks of the outside ([`outbound`]), and the data that crosses them.
//!
//! `contract` (a feature) is the executable specification of each: every adapter runs the same suite.
#![warn(missing_docs)]

#[cfg(feature = "contract")]
pub mod contract;
mod failure;
pub mod outbound;
mod receipt;

pub use failure::{Cause, JournalError, StoreError};
pub use receipt::Receipt;
