//! Arithmetic: the modulus that two RSA signatures have in common.

use malachite_base::num::arithmetic::traits::{DivisibleBy as _, Gcd as _, ModPow as _, Pow as _};
use malachite_base::num::conversion::traits::PowerOf2Digits as _;
use malachite_base::num::logic::traits::SignificantBits as _;
use malachite_nz::natural::Natural;

/// Size and public exponent of the keys that are looked for.
pub(crate) struct Scheme {
    /// Bits of the modulus.
    pub(crate) bits: u64,
    /// The public exponent, odd and at least 3.
    pub(crate) exponent: u64,
}

/// The scheme of all seals.
pub(crate) const SEALS: Scheme = Scheme {
    bits: 2048,
    exponent: 65_537,
};

/// An RSA signature and the padded text that it encodes: with the key's modulus n and exponent e,
/// `signature^e mod n` is the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) signature: Natural,
    pub(crate) text: Natural,
}

/// Factors below this bound are stripped; no prime of an RSA key is nearly as small.
const SMALL_FACTORS: u64 = 1 << 16;
/// Bits by which the greatest common divisor may exceed the modulus. Two random multiples share a
/// cofactor of k bits with a probability of about 2^-k.
const MAX_COFACTOR_BITS: u64 = 64;

impl Scheme {
    /// Returns the modulus under which both signatures are valid. `None` when there is none of the
    /// right size: one of them is of another text, of another hash, or of another key.
    pub(crate) fn common_modulus(&self, pair: [&Signature; 2]) -> Option<Natural> {
        let [first, second] = pair.map(|signature| self.multiple(signature));
        let common = without_small_factors(first?.gcd(second?), self.bits + MAX_COFACTOR_BITS)?;
        let is_modulus = common.significant_bits() == self.bits
            && pair.iter().all(|it| self.verifies(&common, it));
        is_modulus.then_some(common)
    }

    /// Returns whether the signature is valid under a modulus.
    pub(crate) fn verifies(&self, modulus: &Natural, signature: &Signature) -> bool {
        let Signature { signature, text } = signature;
        signature < modulus && &signature.mod_pow(Natural::from(self.exponent), modulus) == text
    }

    /// A multiple of the modulus: `signature^e - text`. `None` for a signature so small that it
    /// encodes nothing.
    fn multiple(&self, signature: &Signature) -> Option<Natural> {
        let power = (&signature.signature).pow(self.exponent);
        (power > signature.text).then(|| power - &signature.text)
    }
}

/// Divides a positive number of at most `max_bits` by all its small factors; `None` for a longer one.
fn without_small_factors(mut number: Natural, max_bits: u64) -> Option<Natural> {
    if number.significant_bits() > max_bits {
        return None;
    }
    for factor in (2..SMALL_FACTORS).map(Natural::from) {
        while (&number).divisible_by(&factor) {
            number /= &factor;
        }
    }
    Some(number)
}

/// Reads big-endian bytes.
pub(crate) fn from_bytes(bytes: &[u8]) -> Natural {
    Natural::from_power_of_2_digits_desc(8, bytes.iter().copied())
        .expect("each byte is a digit of base 256")
}

/// Writes big-endian bytes without leading zeros.
pub(crate) fn to_bytes(number: &Natural) -> Vec<u8> {
    number.to_power_of_2_digits_desc(8)
}

#[cfg(test)]
mod tests;
