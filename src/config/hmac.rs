//! Secrets that key the hash of API keys.

use std::fmt;

use domain::key::{HashGeneration, KeyHasher};
use domain::sign_in::PendingSignInSeal;
use zeroize::Zeroizing;

use super::{SecretKind, heading};

/// The secrets that key the hash of API keys. Wiped from memory when dropped, never shown.
#[derive(Clone)]
pub struct HmacSecret(Zeroizing<String>);

impl HmacSecret {
    /// The hasher of these secrets.
    ///
    /// # Errors
    /// Names the part that is wrong, without showing it.
    pub fn hasher(&self) -> Result<KeyHasher, String> {
        let listed = self
            .0
            .split(',')
            .map(generation)
            .collect::<Result<Vec<_>, _>>()?;
        KeyHasher::new(listed).map_err(|error| error.to_string())
    }

    /// The seal of sign-ins under way, derived from the first of these secrets.
    ///
    /// # Errors
    /// Names the part that is wrong, without showing it.
    pub fn ticket_seal(&self) -> Result<PendingSignInSeal, String> {
        let first = self.0.split(',').next().unwrap_or_default();
        let (_, secret) = generation(first)?;
        PendingSignInSeal::new(&secret).map_err(|error| error.to_string())
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

impl SecretKind for HmacSecret {
    type Value = Self;
    const NAME: &'static str = "hmac-secret";
    const VALUE_NAME: &'static str = "SECRET";
    const HELP: &'static str = "Secret that keys the hash of API keys, at least 32 bytes; generated \
        in the data folder when it is not given. To rotate, list generations: `2:NEW,1:OLD`. The \
        first is for new keys";
    const HEADING: &'static str = heading::DATABASE;

    fn parse(text: &str) -> Result<Self, String> {
        let secret = Self(Zeroizing::new(text.to_owned()));
        secret.hasher().map(|_| secret)
    }
}

impl fmt::Debug for HmacSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HmacSecret(redacted)")
    }
}
