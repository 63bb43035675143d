//! Seals of the sandbox: the real scheme (RSA-2048, PKCS#1 v1.5, SHA-512) with published keys.

use std::sync::LazyLock;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::signature::RSA_PKCS1_SHA512;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Number of [`SealCertificate::Known`], which is in all proofs but those of one magic amount.
pub const CERTIFICATE_NUMBER: &str = SealCertificate::Known.number();

/// Returns the public key (`SubjectPublicKeyInfo`, DER) of [`SealCertificate::Known`].
pub fn public_key_der() -> &'static [u8] {
    SealCertificate::Known.public_key_der()
}

/// Certificate of the sandbox's banks. No authority issued any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealCertificate {
    /// The one that a gateway has the public key of, for `test` keys.
    Known,
    /// The one of which no gateway has the public key.
    Unknown,
}

impl SealCertificate {
    /// Serial number, 20 digits.
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

    /// Seals an original chain: its bytes without the final seal but with the leading and the
    /// trailing `||`. The answer is base64, 344 characters, and the same for the same chain.
    pub(crate) fn seal(self, chain: &str) -> String {
        let key = self.key();
        let mut signature = vec![0; key.public_modulus_len()];
        // PKCS#1 v1.5 uses no randomness; the argument is for other schemes.
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
