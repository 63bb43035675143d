//! Lists of secrets with their generations: `2:NEW,1:OLD`.

use domain::keys::HashGeneration;
use zeroize::Zeroizing;

/// A list of secrets. Wiped from memory when dropped.
#[derive(Clone)]
pub(super) struct Generations(Zeroizing<String>);

impl Generations {
    pub(super) fn new(text: &str) -> Self {
        Self(Zeroizing::new(text.to_owned()))
    }

    /// The secrets in their order; a secret alone is the first generation.
    ///
    /// # Errors
    /// Names the part that is wrong, without showing it.
    pub(super) fn listed(&self) -> Result<Vec<(HashGeneration, Vec<u8>)>, String> {
        self.0.split(',').map(generation).collect()
    }
}

/// Reads one `GENERATION:SECRET`; a secret alone is the first generation.
fn generation(part: &str) -> Result<(HashGeneration, Vec<u8>), String> {
    let (number, secret) = match part.split_once(':') {
        Some((number, secret)) => (number, secret),
        None => ("1", part),
    };
    let number = number.trim().parse().map_err(|_| {
        "before a colon stands the generation of the secret, a number from 0 to 65535".to_owned()
    })?;
    Ok((HashGeneration(number), secret.trim().as_bytes().to_vec()))
}
