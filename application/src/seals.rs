//! Seals of proofs: checks with known keys, samples for unknown ones, and administration of keys.

mod administration;
mod ring;
mod service;

pub use administration::{
    MIN_CONFIRMING_SAMPLES, RecoveryCandidate, SealAdministration, SealImportError,
};
pub use ring::BuiltinSealKey;
pub use service::SealService;
