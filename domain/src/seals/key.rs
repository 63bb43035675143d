//! RSA public keys that verify seals.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::hex;

/// Smallest accepted modulus in bits; institutions use 2,048.
const MIN_BITS: usize = 2048;
/// Largest accepted modulus in bits.
const MAX_BITS: usize = 4096;

/// RSA public key of an institution's certificate.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SealKey {
    modulus: Vec<u8>,
    exponent: Vec<u8>,
}

/// Reason why numbers aren't accepted as a [`SealKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealKeyError {
    /// The modulus is too small or too large.
    #[error("a modulus of {bits} bits; {MIN_BITS} to {MAX_BITS} are accepted")]
    Size {
        /// Size of the modulus in bits.
        bits: usize,
    },
    /// The modulus is even, which is impossible for an RSA key.
    #[error("an even modulus is no RSA key")]
    Even,
    /// The exponent is neither 3 nor 65537.
    #[error("the exponent is neither 3 nor 65537")]
    Exponent,
}

impl SealKey {
    /// Builds a key from big-endian numbers; leading zeros are dropped.
    ///
    /// # Errors
    /// See [`SealKeyError`].
    pub fn new(modulus: &[u8], exponent: &[u8]) -> Result<Self, SealKeyError> {
        let (modulus, exponent) = (without_zeros(modulus), without_zeros(exponent));
        let bits = bits(modulus);
        if !(MIN_BITS..=MAX_BITS).contains(&bits) {
            return Err(SealKeyError::Size { bits });
        }
        if modulus.last().is_some_and(|last| last % 2 == 0) {
            return Err(SealKeyError::Even);
        }
        if !matches!(exponent, [3] | [1, 0, 1]) {
            return Err(SealKeyError::Exponent);
        }
        Ok(Self {
            modulus: modulus.to_vec(),
            exponent: exponent.to_vec(),
        })
    }

    /// The modulus, big-endian without leading zeros.
    pub fn modulus(&self) -> &[u8] {
        &self.modulus
    }

    /// The exponent, big-endian without leading zeros.
    pub fn exponent(&self) -> &[u8] {
        &self.exponent
    }

    /// SHA-256 of the modulus in 64 hexadecimal digits, to identify the key to people.
    pub fn fingerprint(&self) -> String {
        hex::encode(&Sha256::digest(&self.modulus))
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SealKey").field(&self.fingerprint()).finish()
    }
}

fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}

fn bits(number: &[u8]) -> usize {
    let leading = number.first().map_or(0, |byte| byte.leading_zeros());
    number.len() * 8 - usize::try_from(leading).unwrap_or_default()
}
