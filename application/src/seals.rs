//! Seals of proofs: their check with the keys that are known, samples for keys that aren't, and the
//! administration of keys.

mod administration;
mod ring;
mod service;

pub use administration::{
    MIN_CONFIRMING_SAMPLES, RecoveryCandidate, SealAdministration, SealImportError,
};
pub use ring::BuiltinSealKey;
pub use service::SealService;
