//! Ports: traits between the application and the outside, and the data that crosses them.
//!
//! [`inbound`] holds the use cases that adapters call; [`outbound`] the services that the
//! application calls. `contract` (a feature) is the executable specification of each outbound port:
//! every adapter runs the same suite.
#![warn(missing_docs)]

#[cfg(feature = "contract")]
pub mod contract;
mod failure;
pub mod inbound;
pub mod outbound;
mod receipt;

pub use failure::{Cause, JournalError, StoreError};
pub use receipt::Receipt;
