//! Options of the archive of issued proofs.

use std::fmt;

use clap::Args;
use domain::idempotency::IdempotencySecrets;
use domain::keys::{HashGeneration, KeyHasher, SecretFingerprint};
use domain::lookups::LookupSecrets;
use domain::proofs::archive::ArchiveSecrets;
use domain::webhooks::WebhookSecrets;

use super::generations::Generations;
use super::heading;
use super::secret::{Secret, SecretKind};

/// The archive of issued proofs.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::BANK)]
pub struct ArchiveOptions {
    /// Days that an issued proof is kept in the database, encrypted, so that the bank isn't asked for
    /// it again: by any replica, after any restart. 0 keeps none, and removes those that are there.
    #[arg(
        long,
        env = "CEP_PROOF_ARCHIVE",
        value_name = "DAYS",
        default_value_t = 7,
        value_parser = clap::value_parser!(u32).range(0..=366)
    )]
    pub proof_archive: u32,

    /// The secret that keys of archived proofs are derived from.
    #[command(flatten)]
    pub store_secret: Secret<StoreSecret>,
}

/// The secrets that encrypt what is stored. Wiped from memory when dropped, never shown.
#[derive(Clone)]
pub struct StoreSecret(Generations);

impl StoreSecret {
    /// The fingerprint of each generation.
    ///
    /// # Errors
    /// Names the part that is wrong, without showing it.
    pub fn fingerprints(&self) -> Result<Vec<(HashGeneration, SecretFingerprint)>, String> {
        let secrets = KeyHasher::new(self.0.listed()?).map_err(|error| error.to_string())?;
        Ok(secrets.fingerprints().collect())
    }

    /// The secrets of the archive.
    ///
    /// # Errors
    /// Names the part that is wrong, without showing it.
    pub fn archive(&self) -> Result<ArchiveSecrets, String> {
        ArchiveSecrets::new(self.0.listed()?).map_err(|error| error.to_string())
    }

    /// The secrets of stored lookups.
    ///
    /// # Errors
    /// Names the part that is wrong, without showing it.
    pub fn lookups(&self) -> Result<LookupSecrets, String> {
        LookupSecrets::new(self.0.listed()?).map_err(|error| error.to_string())
    }

    /// The secrets of webhooks.
    ///
    /// # Errors
    /// Names the part that is wrong, without showing it.
    pub fn webhooks(&self) -> Result<WebhookSecrets, String> {
        WebhookSecrets::new(self.0.listed()?).map_err(|error| error.to_string())
    }

    /// The secrets of idempotency keys.
    ///
    /// # Errors
    /// Names the part that is wrong, without showing it.
    pub fn idempotency(&self) -> Result<IdempotencySecrets, String> {
        IdempotencySecrets::new(self.0.listed()?).map_err(|error| error.to_string())
    }
}

impl SecretKind for StoreSecret {
    type Value = Self;
    const NAME: &'static str = "store-secret";
    const VALUE_NAME: &'static str = "SECRET";
    const HELP: &'static str = "Secret that encrypts stored lookups and issued proofs in the database, at least \
        32 bytes; generated in the data folder when it is not given. To rotate, list generations: \
        `2:NEW,1:OLD`. The first is for what is new";
    const HEADING: &'static str = heading::BANK;

    fn parse(text: &str) -> Result<Self, String> {
        let secret = Self(Generations::new(text));
        secret.archive().map(|_| secret)
    }
}

impl fmt::Debug for StoreSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreSecret(redacted)")
    }
}
