//! Traits between the application and the outside, and the data that crosses them.
//!
//! [`inbound`] is what the outside may ask of us; [`outbound`] is what we ask of the outside.
//! `contract` (a feature) is the executable specification of each outbound port: every adapter
//! runs the same suite.
#![warn(missing_docs)]

#[cfg(feature = "contract")]
pub mod contract;
mod failure;
pub mod inbound;
pub mod outbound;
mod receipt;

pub use failure::{Cause, JournalError, StoreError};
pub use receipt::Receipt;
