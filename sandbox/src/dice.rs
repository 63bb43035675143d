//! Choices that look random and never change: drawn from the tracking key alone, so one proof is the
//! same in every query, on every machine, after every restart.

use aws_lc_rs::digest::{SHA256, digest};
use domain::tracking_key::TrackingKey;

/// The dice of one transfer.
pub(crate) struct Dice<'a>(&'a str);

impl<'a> Dice<'a> {
    /// The dice of the transfer with this tracking key.
    pub(crate) fn of(key: &'a TrackingKey) -> Self {
        Self(key.as_str())
    }

    /// A number below `sides`; another one for each question.
    pub(crate) fn below(&self, sides: u32, question: &str) -> u32 {
        let throw = digest(&SHA256, format!("{question}\n{}", self.0).as_bytes());
        let number = throw
            .as_ref()
            .iter()
            .take(4)
            .fold(0, |number, byte| number << 8 | u32::from(*byte));
        number % sides
    }

    /// One of `choices`, which must not be empty.
    pub(crate) fn pick<T: Copy>(&self, choices: &[T], question: &str) -> T {
        let sides = u32::try_from(choices.len()).unwrap_or(u32::MAX);
        choices[self.below(sides, question) as usize]
    }

    /// So many decimal digits.
    pub(crate) fn digits(&self, count: usize, question: &str) -> String {
        let throw = digest(&SHA256, format!("{question}\n{}", self.0).as_bytes());
        let digits = throw
            .as_ref()
            .iter()
            .map(|byte| char::from(b'0' + byte % 10));
        digits.take(count).collect()
    }
}
