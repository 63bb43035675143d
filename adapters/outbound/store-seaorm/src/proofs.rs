//! Issued proofs: their archive, and their deliveries to customers.

mod archive;
pub(crate) mod deliveries;
mod seen;
