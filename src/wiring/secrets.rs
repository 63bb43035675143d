//! The secret that hashes keys, and the one that encrypts what is stored.

use anyhow::{Context, Result, anyhow, bail};
use application::{SecretsError, recognise_secrets};
use domain::keys::{HashGeneration, KeyHasher};
use ports::outbound::{DatabaseSecret, KeyStore, Random, SecretFingerprints as _};
use store_seaorm::Store;

use crate::config::{Deployment, HmacSecret, KeyOptions, ServeOptions, StoreSecret};
use crate::secret;

/// The secret that was set, or the one in the data folder; the one that the keys of this database
/// were hashed with. With another one they would all be refused.
pub(super) async fn hmac_secret(
    options: &KeyOptions,
    store: &Store,
    random: &dyn Random,
) -> Result<HmacSecret> {
    let secret = given_secret(options, store, random).await?;
    let fingerprints: Vec<_> = hasher(&secret)?.fingerprints().collect();
    match recognise_secrets(store, DatabaseSecret::Keys, &fingerprints).await {
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

/// Warns of keys that are refused because their secret isn't listed.
///
/// # Errors
/// The secret can't be used; the database fails.
pub(super) async fn warn_of_unlisted(secret: &HmacSecret, store: &Store) -> Result<()> {
    let hasher = hasher(secret)?;
    let listed = hasher.fingerprints().map(|(generation, _)| generation);
    match store.keys_of_other_generations(listed).await? {
        0 => {}
        keys => tracing::warn!(
            keys,
            "keys that can't be checked, and are refused: they were hashed with a secret of a generation that \
             CEP_HMAC_SECRET doesn't list. List it too (CEP_HMAC_SECRET=2:NEW,1:OLD)"
        ),
    }
    Ok(())
}

async fn given_secret(
    options: &KeyOptions,
    keys: &dyn KeyStore,
    random: &dyn Random,
) -> Result<HmacSecret> {
    if let Some(secret) = options.hmac_secret.get() {
        return Ok(secret.clone());
    }
    if Deployment::of(&options.database, &options.replicas)? == Deployment::Replicated {
        bail!("replicas need one secret: set CEP_HMAC_SECRET to the same 32 bytes or more on each");
    }
    if !secret::is_in_folder::<HmacSecret>(&options.database.data_dir) && !keys.is_empty().await? {
        bail!(
            "the database has keys, but their secret is neither in CEP_HMAC_SECRET nor in {}: bring `secret` back there, \
             or set CEP_HMAC_SECRET, from the copy that is kept apart from the database. Without a copy none of these \
             keys works any more: new ones have to be made in a new database (another CEP_DATA_DIR)",
            options.database.data_dir.display()
        );
    }
    secret::of_folder(&options.database.data_dir, random)
}

/// The secret that encrypts what is stored: the one that was set, or the one in the data folder; the one that the
/// content of this database was encrypted with. With another one none of it could be read.
///
/// # Errors
/// Replicas without one, a file that can't be read or made, and a secret that isn't the database's.
pub(super) async fn store_secret(
    options: &ServeOptions,
    (store, random): (&Store, &dyn Random),
) -> Result<StoreSecret> {
    let secret = given_store_secret(options, (store, random)).await?;
    let fingerprints = secret.fingerprints();
    let fingerprints = fingerprints.map_err(|problem| anyhow!("CEP_STORE_SECRET: {problem}"))?;
    match recognise_secrets(store, DatabaseSecret::Content, &fingerprints).await {
        Ok(()) => Ok(secret),
        Err(other @ SecretsError::Other(_)) => bail!(
            "CEP_STORE_SECRET, or `store-secret` in {}: {other}. Use that one; a new one is listed before it as a \
             generation of its own (CEP_STORE_SECRET=2:NEW,1:OLD). {LOST}",
            options.keys.database.data_dir.display()
        ),
        Err(SecretsError::Store(error)) => Err(error).context("reading the database"),
    }
}

/// Remedy of an operator who has no copy of the secret.
const LOST: &str = "If it is lost, what was encrypted with it is, too: give a new one another number \
                    (CEP_STORE_SECRET=2:NEW) to go on without that";

async fn given_store_secret(
    options: &ServeOptions,
    (store, random): (&Store, &dyn Random),
) -> Result<StoreSecret> {
    if let Some(secret) = options.archive.store_secret.get() {
        return Ok(secret.clone());
    }
    if Deployment::of(&options.keys.database, &options.keys.replicas)? == Deployment::Replicated {
        bail!(
            "replicas need one secret for the lookups and proofs that they keep: set CEP_STORE_SECRET to \
             the same 32 bytes or more on each"
        );
    }
    let folder = &options.keys.database.data_dir;
    let is_lost = !secret::is_in_folder::<StoreSecret>(folder)
        && store.is_known(DatabaseSecret::Content).await?;
    if is_lost {
        bail!(
            "the secret that this database's lookups, batches, webhooks and proofs are encrypted with is neither in \
             CEP_STORE_SECRET nor in {}: bring `store-secret` back there, from the copy that was made with the \
             database's. {LOST}",
            folder.display()
        );
    }
    secret::of_folder(folder, random)
}

/// The hasher of these secrets.
pub(super) fn hasher(secret: &HmacSecret) -> Result<KeyHasher> {
    secret.hasher().map_err(|problem| unusable(&problem))
}

pub(super) fn unusable(problem: &str) -> anyhow::Error {
    anyhow::anyhow!("CEP_HMAC_SECRET: {problem}")
}
