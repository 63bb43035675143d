//! RSA keys of 256 to 512 bits, which tests make and recover in milliseconds.

use malachite_base::num::arithmetic::traits::{ModInverse as _, ModPow as _};
use malachite_base::num::basic::traits::{One as _, Two as _, Zero as _};
use malachite_base::num::logic::traits::{BitAccess as _, SignificantBits as _};
use malachite_nz::natural::Natural;
use proptest::prelude::*;

use crate::modulus::{Scheme, Signature, from_bytes};

/// An RSA key.
#[derive(Clone, Debug)]
pub(crate) struct SmallKey {
    pub(crate) modulus: Natural,
    exponent: u64,
    private_exponent: Natural,
}

/// The texts that a test signs, all different.
pub(crate) type Texts = [[u8; 24]; 5];

impl SmallKey {
    /// The key of the first primes from two numbers on.
    fn new(numbers: [&[u8]; 2], exponent: u64) -> Self {
        let e = Natural::from(exponent);
        let [p, q] = numbers.map(|number| prime(number, &e));
        let (p_less, q_less) = (&p - Natural::ONE, &q - Natural::ONE);
        let phi = p_less * q_less;
        Self {
            modulus: p * q,
            exponent,
            private_exponent: (e % &phi).mod_inverse(&phi).unwrap(),
        }
    }

    pub(crate) fn scheme(&self) -> Scheme {
        Scheme {
            bits: self.modulus.significant_bits(),
            exponent: self.exponent,
        }
    }

    pub(crate) fn sign(&self, text: &[u8]) -> Signature {
        let text = from_bytes(&[&[1, 0xff][..], text].concat());
        let signature = (&text).mod_pow(&self.private_exponent, &self.modulus);
        Signature { signature, text }
    }
}

/// The first prime from a number on under which an exponent has an inverse. Its two highest bits are
/// set, so that a product of two has twice as many bits.
fn prime(number: &[u8], exponent: &Natural) -> Natural {
    let mut candidate = from_bytes(number);
    let bits = 8 * number.len() as u64;
    for bit in [0, bits - 2, bits - 1] {
        candidate.set_bit(bit);
    }
    let is_prime = |candidate: &Natural| {
        let less = candidate - Natural::ONE;
        [2_u64, 3, 5]
            .into_iter()
            .all(|base| Natural::from(base).mod_pow(&less, candidate) == Natural::ONE)
            && &less % exponent != Natural::ZERO
    };
    while !is_prime(&candidate) {
        candidate += Natural::TWO;
    }
    candidate
}

/// Keys of 256 to 512 bits with a short exponent: the numbers to compare are as many times shorter.
pub(crate) fn keys() -> impl Strategy<Value = SmallKey> {
    (16_usize..=32, any::<[[u8; 32]; 2]>())
        .prop_map(|(length, [p, q])| SmallKey::new([&p[..length], &q[..length]], 257))
}

/// A key of 256 bits with the exponent of all seals.
pub(crate) fn key_with_the_exponent_of_seals() -> SmallKey {
    SmallKey::new([&[0x5a; 16], &[0xc3; 16]], 65_537)
}

pub(crate) fn texts() -> impl Strategy<Value = Texts> {
    any::<Texts>().prop_filter("different texts", |texts| {
        (1..texts.len()).all(|it| !texts[..it].contains(&texts[it]))
    })
}
