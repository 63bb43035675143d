//! Pseudo-random choices seeded with the tracking key, so that a proof is the same for every query, on
//! every machine and after every restart.
//!
//! Each draw is the SHA-256 of a label and the key. With a stateful generator, each draw would depend
//! on those before it, so adding one detail would change the rest of every proof.

use aws_lc_rs::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use domain::tracking_key::TrackingKey;

/// The generator of one transfer.
pub(crate) struct SeededRng<'a>(&'a str);

impl<'a> SeededRng<'a> {
    /// Creates the generator of the transfer with this tracking key.
    pub(crate) fn from_key(key: &'a TrackingKey) -> Self {
        Self(key.as_str())
    }

    /// Returns a number below `bound`; draws with different labels are independent.
    pub(crate) fn below(&self, bound: u32, label: &str) -> u32 {
        let number = self
            .draw(label)
            .iter()
            .take(4)
            .fold(0, |number, byte| number << 8 | u32::from(*byte));
        number % bound
    }

    /// Returns one of `choices`, which must not be empty.
    pub(crate) fn choose<T: Copy>(&self, choices: &[T], label: &str) -> T {
        let bound = u32::try_from(choices.len()).unwrap_or(u32::MAX);
        choices[self.below(bound, label) as usize]
    }

    /// Returns `count` decimal digits, at most 32.
    pub(crate) fn digits(&self, count: usize, label: &str) -> String {
        let draw = self.draw(label);
        let digits = draw.iter().map(|byte| char::from(b'0' + byte % 10));
        digits.take(count).collect()
    }

    fn draw(&self, label: &str) -> [u8; SHA256_OUTPUT_LEN] {
        let mut bytes = [0; SHA256_OUTPUT_LEN];
        let hash = digest(&SHA256, format!("{label}\n{}", self.0).as_bytes());
        bytes.copy_from_slice(hash.as_ref());
        bytes
    }
}
