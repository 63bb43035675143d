//! Seals of the sandbox: the real scheme (RSA-2048, PKCS#1 v1.5, SHA-512) with published private keys.

use std::sync::LazyLock;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::signature::RSA_PKCS1_SHA512;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Number of [`SealCertificate::Known`], used in all proofs except those of one special amount.
pub const CERTIFICATE_NUMBER: &str = SealCertificate::Known.number();

/// Returns the public key (`SubjectPublicKeyInfo`, DER) of [`SealCertificate::Known`].
pub fn public_key_der() -> &'static [u8] {
    SealCertificate::Known.public_key_der()
}

/// Certificate of the sandbox's banks, not issued by any authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealCertificate {
    /// Certificate whose public key the gateway has, for `test` keys.
    Known,
    /// Certificate whose public key the gateway doesn't have.
    Unknown,
}

impl SealCertificate {
    /// Serial number of 20 digits.
    pub const fn number(self) -> &'static str {
        match self {
            Self::Known => "00000999900000000001",
            Self::Unknown => "00000999900000000002",
        }
    }

    /// Returns the public key (`SubjectPublicKeyInfo`, DER) that verifies its seals.
    pub const fn public_key_der(self) -> &'static [u8] {
        match self {
            Self::Known => include_bytes!("../keys/seal.spki"),
            Self::Unknown => include_bytes!("../keys/seal-unknown.spki"),
        }
    }

    /// Signs an original chain without the final seal but with the leading and trailing `||`. Returns
    /// 344 characters of base64, always the same for the same chain.
    pub(crate) fn seal(self, chain: &str) -> String {
        let key = self.key();
        let mut signature = vec![0; key.public_modulus_len()];
        // PKCS#1 v1.5 uses no randomness; other schemes need the argument.
        key.sign(
            &RSA_PKCS1_SHA512,
            &SystemRandom::new(),
            chain.as_bytes(),
            &mut signature,
        )
        .expect("a 2048-bit key seals any chain");
        STANDARD.encode(signature)
    }

    fn key(self) -> &'static KeyPair {
        match self {
            Self::Known => &KNOWN,
            Self::Unknown => &UNKNOWN,
        }
    }
}

static KNOWN: LazyLock<KeyPair> = LazyLock::new(|| key_pair(include_bytes!("../keys/seal.pk8")));
static UNKNOWN: LazyLock<KeyPair> =
    LazyLock::new(|| key_pair(include_bytes!("../keys/seal-unknown.pk8")));

fn key_pair(pkcs8: &[u8]) -> KeyPair {
    KeyPair::from_pkcs8(pkcs8).expect("the shipped keys are tested")
}
