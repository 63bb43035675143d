//! The catalogue of participants and its renewal.

mod catalogue;
mod renewal;

pub use catalogue::SharedCatalogue;
pub use renewal::{CatalogueRenewal, RenewalError, RenewalRound};
