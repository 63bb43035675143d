//! The database: opening, its schema, and the lock of the one process that may serve on it.

use anyhow::{Context, Result, bail};
use store_seaorm::{
    LockError, OpenError, SchemaError, ServingLock, Store, StoreOptions, sqlite_url,
};

use crate::config::{DatabaseOptions, Deployment};

/// The embedded database's name in the data folder.
const DATABASE: &str = "cep.db";

/// Connections for the dashboard, which has a pool of its own: a slow query there must not keep keys,
/// sessions and revocations waiting. Enough for a command, too.
pub(super) const SMALL_POOL: u32 = 2;

/// Opens the database, at its newest schema. The embedded one is brought to it; a server, which
/// others use too, has to be there already.
///
/// # Errors
/// A database that can't be opened, or hasn't the newest schema.
pub(super) async fn open(
    options: &DatabaseOptions,
    deployment: Deployment,
    connections: u32,
) -> Result<Store> {
    let store = open_with(options, connections).await?;
    let current = at_newest_schema(deployment, &store).await;
    closed_on_error(&store, current).await?;
    Ok(store)
}

pub(super) async fn at_newest_schema(deployment: Deployment, store: &Store) -> Result<()> {
    match deployment {
        Deployment::Embedded => migrate(store).await,
        Deployment::Replicated => match store.check_schema().await {
            Ok(()) => warn_of_rights(store).await,
            Err(behind @ SchemaError::Behind { .. }) => {
                bail!("{behind}: run `cep-gateway migrate` once, then start");
            }
            Err(rights @ SchemaError::Rights { .. }) => bail!(
                "{rights}: run `cep-gateway migrate` as the user that owns the tables, with this user as \
                 CEP_SERVING_ROLE, then start"
            ),
            Err(error) => Err(error).context("looking at the database's schema (CEP_DATABASE_URL)"),
        },
    }
}

/// Warns when a replica that is taken over could change the audit log.
async fn warn_of_rights(store: &Store) -> Result<()> {
    let may_tamper = store.may_tamper_with_audit().await;
    if may_tamper.context("looking at the rights of the database's user (CEP_DATABASE_URL)")? {
        tracing::warn!(
            "the user of the database may change the audit log: serve as one that owns no tables \
             (CEP_SERVING_ROLE, see `cep-gateway migrate --help`)"
        );
    }
    Ok(())
}

/// Returns a result, and closes the store first where it is an error. A store that is merely dropped
/// leaves the log of its database behind.
pub(super) async fn closed_on_error<T>(store: &Store, result: Result<T>) -> Result<T> {
    if result.is_err()
        && let Err(error) = store.clone().close().await
    {
        tracing::warn!(%error, "the database could not be closed");
    }
    result
}

/// Closes the store, and returns the result of the work on it.
pub(super) async fn closed_after<T>(store: Store, work: Result<T>) -> Result<T> {
    let worked = closed_on_error(&store, work).await?;
    store.close().await.context("closing the database")?;
    Ok(worked)
}

pub(super) async fn migrate(store: &Store) -> Result<()> {
    let migrated = store.migrate().await;
    migrated.context("bringing the database to its newest schema")
}

pub(super) async fn open_with(options: &DatabaseOptions, connections: u32) -> Result<Store> {
    let usual = StoreOptions::default();
    let store = StoreOptions {
        connections,
        statement_timeout: options.database_timeout,
        lock_timeout: usual.lock_timeout.min(options.database_timeout),
        ..usual
    };
    let opened = Store::open_with(&url(options)?, store).await;
    opened.with_context(|| format!("opening the database ({})", variable(options)))
}

/// Takes the lock that one serving process holds on an embedded database: two would each admit the
/// whole of every limit. Replicas share their limits, and take none; nor do commands that don't
/// serve.
///
/// # Errors
/// Another gateway serves on the database, or the lock can't be made.
pub(crate) fn lock(
    options: &DatabaseOptions,
    deployment: Deployment,
) -> Result<Option<ServingLock>> {
    if deployment == Deployment::Replicated {
        return Ok(None);
    }
    let lock = Store::lock_for_serving(&url(options)?);
    lock.with_context(|| format!("locking the database ({})", variable(options)))
}

/// Returns `true` for the error of [`lock`] while another process has it.
pub(super) fn is_taken(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        matches!(
            cause.downcast_ref(),
            Some(OpenError::Lock(LockError::Taken(_)))
        )
    })
}

pub(super) fn url(options: &DatabaseOptions) -> Result<String> {
    match options.database_url.get() {
        Some(url) => Ok(url.reveal().to_owned()),
        None => sqlite_url(&options.data_dir.join(DATABASE)).context("CEP_DATA_DIR"),
    }
}

/// The variable that names the database.
pub(super) fn variable(options: &DatabaseOptions) -> &'static str {
    match options.database_url.get() {
        Some(_) => "CEP_DATABASE_URL",
        None => "CEP_DATA_DIR",
    }
}
