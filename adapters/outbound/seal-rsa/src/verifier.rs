//! Verification of RSA signatures with PKCS#1 v1.5 padding.

use aws_lc_rs::digest::{Digest, SHA512};
use aws_lc_rs::signature::{
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
};
use domain::seal::{SealHash, SealKey, UncheckedSeal};
use ports::outbound::{SealSample, SealVerifier};

/// Hash functions of seals, in the order in which they are tried.
const HASHES: [(SealHash, &RsaParameters); 2] = [
    (SealHash::Sha512, &RSA_PKCS1_2048_8192_SHA512),
    (SealHash::Sha256, &RSA_PKCS1_2048_8192_SHA256),
];

/// Verifier of seals.
#[derive(Clone, Copy, Debug, Default)]
pub struct RsaSealVerifier;

impl SealVerifier for RsaSealVerifier {
    fn verify(&self, key: &SealKey, seal: &UncheckedSeal) -> Option<SealHash> {
        signed_with(key, seal.text().as_bytes(), seal.bytes())
    }

    fn verifies_sample(&self, key: &SealKey, sample: &SealSample) -> bool {
        let digest = Digest::import_less_safe(&sample.digest.0, &SHA512);
        let key = components(key).to_parsed_public_key(&RSA_PKCS1_2048_8192_SHA512);
        let (Ok(digest), Ok(key)) = (digest, key) else {
            return false;
        };
        key.verify_digest_sig(&digest, &sample.seal).is_ok()
    }
}

/// The hash function under which `signature` is the key's signature of `text`.
fn signed_with(key: &SealKey, text: &[u8], signature: &[u8]) -> Option<SealHash> {
    let key = components(key);
    HASHES.into_iter().find_map(|(hash, parameters)| {
        let verified = key.verify(parameters, text, signature);
        verified.is_ok().then_some(hash)
    })
}

fn components(key: &SealKey) -> RsaPublicKeyComponents<&[u8]> {
    RsaPublicKeyComponents {
        n: key.modulus(),
        e: key.exponent(),
    }
}

#[cfg(test)]
mod tests;
