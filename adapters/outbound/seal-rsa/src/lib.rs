//! Outbound adapter of the verification of seals ([`RsaSealVerifier`]), with AWS-LC, and files of
//! institutions' public keys ([`PublicKeyFile`]).

mod public_key_file;
mod verifier;

pub use public_key_file::{PublicKeyFile, PublicKeyFileError};
pub use verifier::RsaSealVerifier;
