//! Recovery of one signer's key: pairs of signatures are tried until one has a common modulus, which
//! the others confirm.

use std::fmt;
use std::time::Instant;

use malachite_nz::natural::Natural;

use crate::modulus::{Scheme, Signature};

/// Maximum number of pairs that are tried: all pairs of four signatures. Each takes about a minute.
const MAX_PAIRS: usize = 6;

/// A recovered key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Recovered {
    pub(crate) modulus: Natural,
    /// Number of the signatures that are valid under it; two of them gave it.
    pub(crate) verified: usize,
}

impl Recovered {
    /// A third signature is valid under the key.
    pub(crate) const fn is_confirmed(&self) -> bool {
        self.verified > 2
    }
}

/// Reason for a key that isn't recovered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotRecovered {
    /// Fewer than two different signatures.
    TooFew,
    /// No pair has a common modulus.
    NothingInCommon {
        /// Number of pairs that were tried.
        pairs: usize,
    },
}

impl fmt::Display for NotRecovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew => f.write_str(
                "no key: that takes two different proofs of the certificate, and a third to confirm",
            ),
            Self::NothingInCommon { pairs } => write!(
                f,
                "no key: none of the {pairs} pairs tried has a modulus in common. Seals are of \
                 another hash than SHA-512, of another text, or of different keys; try other proofs"
            ),
        }
    }
}

/// Recovers the key of these signatures, all different. `progress` gets a sentence for each step.
///
/// # Errors
/// See [`NotRecovered`].
pub(crate) fn recover(
    scheme: &Scheme,
    signatures: &[Signature],
    mut progress: impl FnMut(String),
) -> Result<Recovered, NotRecovered> {
    let pairs = pairs(signatures.len());
    if pairs.is_empty() {
        return Err(NotRecovered::TooFew);
    }
    for &[first, second] in &pairs {
        let start = Instant::now();
        let numbers = format!("seals {} and {}", first + 1, second + 1);
        progress(format!("comparing {numbers} …"));
        let modulus = scheme.common_modulus([&signatures[first], &signatures[second]]);
        let seconds = start.elapsed().as_secs_f32();
        if let Some(modulus) = modulus {
            progress(format!(
                "{numbers} have a modulus in common ({seconds:.1} s)"
            ));
            let valid = signatures.iter().filter(|it| scheme.verifies(&modulus, it));
            let verified = valid.count();
            return Ok(Recovered { modulus, verified });
        }
        progress(format!(
            "{numbers} have no modulus in common ({seconds:.1} s)"
        ));
    }
    Err(NotRecovered::NothingInCommon { pairs: pairs.len() })
}

/// The pairs to try of so many signatures, at most [`MAX_PAIRS`]. Those without a common member come
/// first: a bad signature spoils one of them alone.
fn pairs(signatures: usize) -> Vec<[usize; 2]> {
    let disjoint = (1..signatures)
        .step_by(2)
        .map(|second| [second - 1, second]);
    let overlapping = (2..signatures)
        .flat_map(|second| (0..second).map(move |first| [first, second]))
        .filter(|[first, second]| first + 1 < *second || second % 2 == 0);
    disjoint.chain(overlapping).take(MAX_PAIRS).collect()
}

#[cfg(test)]
mod tests;
