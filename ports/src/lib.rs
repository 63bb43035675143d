//! Traits between the application and the outside, and the data that crosses them.
//!
//! [`inbound`] is what the outside may ask of us; [`outbound`] is what we ask of the outside.
//! `contract` (a feature) is the executable specification of each outbound port: every adapter
//! runs the same suite.
#![warn(missing_docs)]

#[cfg(feature = "contract")]
pub mod contract;
pub mod inbound;
pub mod outbound;

use std::error::Error;
use std::sync::Arc;

/// The cause of an error, for the log alone: nobody decides anything by it.
pub type Cause = Arc<dyn Error + Send + Sync>;
