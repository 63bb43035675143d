//! Verification of RSA signatures with PKCS#1 v1.5 padding.

use aws_lc_rs::digest::{Digest, SHA512};
use aws_lc_rs::signature::{
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
};
use domain::seals::{SealHash, SealKey, UncheckedSeal};
use num_bigint::BigUint;
use ports::outbound::{SealSample, SealVerifier};

/// Hash functions of seals, in the order in which they are tried.
const HASHES: [(SealHash, &RsaParameters); 2] = [
    (SealHash::Sha512, &RSA_PKCS1_2048_8192_SHA512),
    (SealHash::Sha256, &RSA_PKCS1_2048_8192_SHA256),
];

/// Prefix of the hash in a signature's block (`DigestInfo`), for SHA-512 and SHA-256 (RFC 8017,
/// 9.2, note 1); its last byte is the length of the hash.
const DIGEST_INFOS: [&[u8]; 2] = [
    b"\x30\x51\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x03\x05\x00\x04\x40",
    b"\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20",
];

/// Verifies seals with AWS-LC.
#[derive(Clone, Copy, Debug, Default)]
pub struct RsaSealVerifier;

impl SealVerifier for RsaSealVerifier {
    fn verify(&self, key: &SealKey, seal: &UncheckedSeal) -> Option<SealHash> {
        signed_with(key, seal.text().as_bytes(), seal.bytes())
    }

    fn opens(&self, key: &SealKey, seal: &UncheckedSeal) -> bool {
        opened_with(key, seal.bytes())
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

/// Returns `true` if the signature, raised to the key's exponent, is a block of PKCS#1 v1.5 (RFC
/// 8017, 9.2) with one of the hash functions. AWS-LC only compares the block with that of a text,
/// and doesn't return it.
fn opened_with(key: &SealKey, signature: &[u8]) -> bool {
    let modulus = BigUint::from_bytes_be(key.modulus());
    let signature_number = BigUint::from_bytes_be(signature);
    if signature.len() != key.modulus().len() || signature_number >= modulus {
        return false;
    }
    // Square and multiply: `modpow` takes four times as long for an exponent as short as these.
    let exponent = BigUint::from_bytes_be(key.exponent());
    let opened = (0..exponent.bits())
        .rev()
        .skip(1)
        .fold(signature_number.clone(), |power, bit| {
            let squared = &power * &power % &modulus;
            if exponent.bit(bit) {
                squared * &signature_number % &modulus
            } else {
                squared
            }
        });
    // The number has no leading zero: the block begins with 0 and 1.
    let block = opened.to_bytes_be();
    block.len() + 1 == signature.len() && DIGEST_INFOS.iter().any(|info| is_padded(&block, info))
}

/// Returns `true` for `1`, padding of `0xff`, `0`, a `DigestInfo`, and as many bytes as it states.
fn is_padded(block: &[u8], digest_info: &[u8]) -> bool {
    let hash = usize::from(digest_info.last().copied().unwrap_or_default());
    let Some(padding) = block.len().checked_sub(hash + digest_info.len() + 2) else {
        return false;
    };
    let (start, rest) = block.split_at(padding + 2);
    start[0] == 1
        && start[1..=padding].iter().all(|byte| *byte == 0xff)
        && start[padding + 1] == 0
        && rest.starts_with(digest_info)
}

fn components(key: &SealKey) -> RsaPublicKeyComponents<&[u8]> {
    RsaPublicKeyComponents {
        n: key.modulus(),
        e: key.exponent(),
    }
}

#[cfg(test)]
mod tests;
