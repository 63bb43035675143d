//! The secret that hashes keys, and the one that encrypts what is stored.

use anyhow::{Context, Result, bail};
use application::{SecretsError, recognise_secrets};
use domain::key::{HashGeneration, KeyHasher};
use ports::outbound::{KeyStore, Random};
use store_seaorm::Store;

use super::Deployment;
use crate::config::{ArchiveOptions, HmacSecret, KeyOptions, StoreSecret};
use crate::secret;

/// The secret that was set, or the one in the data folder; the one that the keys of this database
/// were hashed with. With another one they would all be refused.
pub(super) async fn hmac_secret(
    options: &KeyOptions,
    store: &Store,
    random: &dyn Random,
) -> Result<HmacSecret> {
    let secret = given_secret(options, store, random).await?;
    match recognise_secrets(store, &hasher(&secret)?).await {
        Ok(()) => Ok(secret),
        Err(other @ SecretsError::Other(HashGeneration(generation))) => bail!(
            "CEP_HMAC_SECRET, or the secret in {}: {other}. Use that one; a new one is listed before \
             it as a generation of its own (CEP_HMAC_SECRET=2:NEW,1:OLD). If the first process that \
             was given a secret of generation {generation} had a mistyped one, and no key was made \
             since then, stop all processes, run `DELETE FROM secret_marks WHERE generation = \
             {generation};` in the database, and start them with the right one",
            options.database.data_dir.display()
        ),
        Err(SecretsError::Store(error)) => Err(error).context("reading the database"),
    }
}

async fn given_secret(
    options: &KeyOptions,
    keys: &dyn KeyStore,
    random: &dyn Random,
) -> Result<HmacSecret> {
    if let Some(secret) = options.hmac_secret.get() {
        return Ok(secret.clone());
    }
    if Deployment::of(options)? == Deployment::Replicated {
        bail!("replicas need one secret: set CEP_HMAC_SECRET to the same 32 bytes or more on each");
    }
    if !secret::is_in_folder::<HmacSecret>(&options.database.data_dir) && !keys.is_empty().await? {
        bail!(
            "the database has keys, but their secret is neither in CEP_HMAC_SECRET nor in {}",
            options.database.data_dir.display()
        );
    }
    secret::of_folder(&options.database.data_dir, random)
}

/// The secret that encrypts what is stored: the one that was set, or the one in the data folder.
///
/// # Errors
/// Replicas without one, and a file that can't be read or made.
pub(super) fn store_secret(
    options: &ArchiveOptions,
    keys: &KeyOptions,
    random: &dyn Random,
) -> Result<StoreSecret> {
    if let Some(secret) = options.store_secret.get() {
        return Ok(secret.clone());
    }
    if Deployment::of(keys)? == Deployment::Replicated {
        bail!(
            "replicas need one secret for the lookups and proofs that they keep: set CEP_STORE_SECRET to \
             the same 32 bytes or more on each"
        );
    }
    secret::of_folder(&keys.database.data_dir, random)
}

/// The hasher of these secrets.
pub(super) fn hasher(secret: &HmacSecret) -> Result<KeyHasher> {
    secret.hasher().map_err(|problem| unusable(&problem))
}

pub(super) fn unusable(problem: &str) -> anyhow::Error {
    anyhow::anyhow!("CEP_HMAC_SECRET: {problem}")
}
