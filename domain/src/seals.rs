//! Seals of proofs: signatures of original chains by the receiving institution (RSA with PKCS#1 v1.5
//! padding over SHA-512, or SHA-256 in older ones).
//!
//! The seal covers only the fields of the original chain: not the tracking key and not the reference
//! number ([`ProofField::UNSEALED`](crate::proofs::ProofField::UNSEALED)).

use std::fmt;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use sha2::{Digest as _, Sha512};

use crate::keys::Environment;
use crate::participants::ParticipantCode;
use crate::proofs::Proof;
use crate::variants::named_enum;

mod certificate;
mod key;
mod opinion;

pub use certificate::CertificateNumber;
pub use key::{SealKey, SealKeyError};
pub use opinion::{
    FileFingerprint, NoOpinion, OpinionVerdict, SealOpinion, SecondOpinion, VALIDATED_DAYS,
};

/// Length of a seal in bytes: RSA with 2,048 bits.
pub const SEAL_BYTES: usize = 256;

named_enum! {
    /// Hash function of a seal.
    pub enum SealHash {
        /// SHA-512: all proofs since 2022 at the latest.
        Sha512,
        /// SHA-256: older proofs.
        Sha256,
    }
}

named_enum! {
    /// Reason why a seal isn't checked.
    pub enum NotChecked {
        /// No key is known for the certificate, and no known key of another certificate made the seal
        /// for another text.
        UnknownCertificate,
        /// The certificate number can't be read; or the seal can't, and no key is known for the
        /// certificate.
        Unreadable,
    }
}

named_enum! {
    /// Result of checking a seal in its recorded form, without the hash function or the reason.
    pub enum SealVerdict {
        /// The key is known, and the seal is its signature of the original chain.
        Valid,
        /// The seal is not the signature of the original chain by the certificate's key.
        Invalid,
        /// The seal couldn't be verified.
        NotChecked,
    }
}

named_enum! {
    /// Source of a key that verifies seals.
    pub enum SealKeyOrigin {
        /// Imported by an operator.
        Imported,
        /// Computed from the seals of proofs that this gateway received, and confirmed with another
        /// one.
        Recovered,
    }
}

/// Result of checking a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The key is known, and the seal is its signature of the original chain.
    Valid(SealHash),
    /// A key is known for the certificate, and it didn't make this seal of this text; or the key of
    /// another certificate made the seal, but of another text.
    Invalid,
    /// The seal couldn't be verified.
    NotChecked(NotChecked),
}

impl Verdict {
    /// Name in the APIs: `valid`, `invalid` or `not_checked`.
    pub fn name(self) -> &'static str {
        SealVerdict::from(self).name()
    }
}

impl From<Verdict> for SealVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Valid(_) => Self::Valid,
            Verdict::Invalid => Self::Invalid,
            Verdict::NotChecked(_) => Self::NotChecked,
        }
    }
}

/// Issuer of a seal: an institution's certificate. `Debug` shows both parts, which are public.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signer {
    /// Code of the receiving institution.
    pub participant: ParticipantCode,
    /// Number of its certificate.
    pub certificate: CertificateNumber,
}

/// SHA-512 of a sealed text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SealedDigest(pub [u8; 64]);

impl fmt::Debug for SealedDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealedDigest")
    }
}

/// Result of checking the seal of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedSeal {
    /// The verdict and, if the seal is valid, its hash function.
    pub verdict: Verdict,
    /// The certificate that the proof names; `None` when it can't be read.
    pub signer: Option<Signer>,
    /// SHA-512 of the sealed text; `None` when the seal can't be read.
    pub digest: Option<SealedDigest>,
    /// `true` if the sandbox bank made the seal. Its private key is public.
    pub by_sandbox: bool,
}

impl CheckedSeal {
    /// Checks the seal of a proof; `verdict` is called if the certificate number can be read.
    pub fn of(proof: &Proof, verdict: impl FnOnce(&UncheckedSeal) -> Verdict) -> Self {
        match UncheckedSeal::of(proof) {
            Ok(seal) => Self {
                verdict: verdict(&seal),
                digest: Some(seal.digest()),
                signer: Some(seal.signer),
                by_sandbox: false,
            },
            Err(reason) => Self {
                verdict: Verdict::NotChecked(reason),
                signer: None,
                digest: None,
                by_sandbox: false,
            },
        }
    }

    /// The verdict on the seal of an uploaded file. The sandbox's private key is public, so for a live
    /// key a seal made with it is invalid.
    pub fn of_sent_file(&self, environment: Environment) -> SealVerdict {
        if self.by_sandbox && environment == Environment::Live {
            return SealVerdict::Invalid;
        }
        self.verdict.into()
    }
}

/// A decoded seal that has not been verified yet.
#[derive(Clone, PartialEq, Eq)]
pub struct UncheckedSeal {
    signer: Signer,
    text: String,
    bytes: Vec<u8>,
    /// `true` if the end of the original chain repeats the seal.
    is_repeated: bool,
}

impl UncheckedSeal {
    /// Reads the seal of a proof: the certificate number from the sealed text, and the seal from
    /// `sello`. A seal that can't be decoded is kept as empty bytes, which no key verifies. A seal that
    /// differs from the one at the end of the original chain is never valid.
    ///
    /// # Errors
    /// [`NotChecked::Unreadable`] when the certificate number can't be read.
    pub fn of(proof: &Proof) -> Result<Self, NotChecked> {
        let certificate = CertificateNumber::parse(proof.chain.certificate_number().trim());
        let Some(certificate) = certificate else {
            return Err(NotChecked::Unreadable);
        };
        Ok(Self {
            signer: Signer {
                participant: proof.chain.receiver(),
                certificate,
            },
            text: proof.chain.signed_text().to_owned(),
            bytes: decoded(&proof.seal).unwrap_or_default(),
            is_repeated: is_same_seal(proof.chain.seal(), &proof.seal),
        })
    }

    /// Returns `true` if the seal is base64 of [`SEAL_BYTES`] bytes.
    pub const fn is_readable(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// The certificate whose key verifies the seal.
    pub const fn signer(&self) -> &Signer {
        &self.signer
    }

    /// The text whose UTF-8 bytes are signed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The signature, [`SEAL_BYTES`] long; empty if the seal can't be read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns `true` if the end of the original chain repeats the seal, as it does in each proof.
    pub const fn is_repeated(&self) -> bool {
        self.is_repeated
    }

    /// SHA-512 of the signed text.
    pub fn digest(&self) -> SealedDigest {
        SealedDigest(Sha512::digest(self.text.as_bytes()).into())
    }

    /// Checks the seal with the keys known for its signer. `verify` returns the hash function with
    /// which a key verifies the seal. If no key is known, `maker` returns the known key of another
    /// certificate that made the seal, if any. If that key doesn't verify this text, the seal was
    /// copied from another proof, or both the text and the certificate number were changed. If it does,
    /// the certificate may have been renewed with the same key.
    pub fn verdict<'a>(
        &self,
        keys: impl IntoIterator<Item = &'a SealKey>,
        maker: impl FnOnce() -> Option<SealKey>,
        verify: impl Fn(&SealKey, &Self) -> Option<SealHash>,
    ) -> Verdict {
        let mut keys = keys.into_iter().peekable();
        if keys.peek().is_none() {
            if !self.is_readable() {
                return Verdict::NotChecked(NotChecked::Unreadable);
            }
            return match maker() {
                Some(key) if verify(&key, self).is_none() => Verdict::Invalid,
                _ => Verdict::NotChecked(NotChecked::UnknownCertificate),
            };
        }
        keys.find_map(|key| verify(key, self))
            .filter(|_| self.is_repeated)
            .map_or(Verdict::Invalid, Verdict::Valid)
    }
}

/// Lenient base64: without padding, and with any trailing bits.
const SPELLINGS: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

/// Decodes a seal; white space, control characters and padding are ignored.
fn decoded(seal: &str) -> Option<Vec<u8>> {
    let is_written = |c: &char| !c.is_whitespace() && !c.is_control();
    let written: String = seal.chars().filter(is_written).collect();
    let bytes = SPELLINGS.decode(written.trim_end_matches('=')).ok()?;
    (bytes.len() == SEAL_BYTES).then_some(bytes)
}

/// Returns `true` if both texts encode the same seal.
pub fn is_same_seal(one: &str, other: &str) -> bool {
    one.trim() == other.trim() || decoded(one).is_some_and(|seal| Some(seal) == decoded(other))
}

impl fmt::Debug for UncheckedSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UncheckedSeal")
            .field("signer", &self.signer)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
