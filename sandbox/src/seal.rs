//! Seals of the sandbox: the real scheme (RSA-2048, PKCS#1 v1.5, SHA-512) with a published key.

use std::sync::LazyLock;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::signature::RSA_PKCS1_SHA512;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Certificate number in the sandbox's proofs; no authority issued it.
pub const CERTIFICATE_NUMBER: &str = "00000999900000000001";

static KEY: LazyLock<KeyPair> = LazyLock::new(|| {
    KeyPair::from_pkcs8(include_bytes!("../keys/seal.pk8")).expect("the shipped key is tested")
});

/// Returns the public key (`SubjectPublicKeyInfo`, DER) for verifying the sandbox's seals.
pub fn public_key_der() -> &'static [u8] {
    include_bytes!("../keys/seal.spki")
}

/// Seals an original chain: its bytes without the final seal but with the leading and the trailing
/// `||`. The answer is base64, 344 characters, and the same for the same chain.
pub(crate) fn seal(chain: &str) -> String {
    let mut signature = vec![0; KEY.public_modulus_len()];
    // PKCS#1 v1.5 uses no randomness; the argument is for other schemes.
    KEY.sign(
        &RSA_PKCS1_SHA512,
        &SystemRandom::new(),
        chain.as_bytes(),
        &mut signature,
    )
    .expect("a 2048-bit key seals any chain");
    STANDARD.encode(signature)
}
