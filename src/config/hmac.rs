//! Secrets that key the hash of API keys.

use std::fmt;

use domain::keys::KeyHasher;
use domain::people::sign_in::PendingSignInSeal;

use super::generations::Generations;
use super::heading;
use super::secret::SecretKind;

/// The secrets that key the hash of API keys. Wiped from memory when dropped, never shown.
#[derive(Clone)]
pub struct HmacSecret(Generations);

impl HmacSecret {
    /// The hasher of these secrets.
    ///
    /// # Errors
    /// Names the part that is wrong, without showing it.
    pub fn hasher(&self) -> Result<KeyHasher, String> {
        KeyHasher::new(self.0.listed()?).map_err(|error| error.to_string())
    }

    /// The seal of sign-ins under way, derived from the first of these secrets.
    ///
    /// # Errors
    /// Names the part that is wrong, without showing it.
    pub fn ticket_seal(&self) -> Result<PendingSignInSeal, String> {
        let listed = self.0.listed()?;
        let first = listed.first().map(|(_, secret)| secret.as_slice());
        PendingSignInSeal::new(first.unwrap_or_default()).map_err(|error| error.to_string())
    }
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
        let secret = Self(Generations::new(text));
        secret.hasher().map(|_| secret)
    }
}

impl fmt::Debug for HmacSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HmacSecret(redacted)")
    }
}
