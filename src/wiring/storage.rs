//! The database: opening, its schema, and the lock of the one process that may serve on it.

use anyhow::{Context, Result, bail};
use chrono::{DateTime, Utc};
use store_seaorm::{
    LockError, OpenError, SchemaError, ServingLock, Store, StoreOptions, sqlite_url,
};

use super::Deployment;
use super::people::Identity;
use crate::config::{DatabaseOptions, RoleOptions};

/// The embedded database's name in the data folder.
const DATABASE: &str = "cep.db";

/// Connections for the dashboard, which has a pool of its own: a slow query there must not keep keys,
/// sessions and revocations waiting. Enough for a command, too.
pub(super) const FEW: u32 = 2;

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

async fn at_newest_schema(deployment: Deployment, store: &Store) -> Result<()> {
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

/// Brings the database to its newest schema, and gives the role that serves its rights. Two at once are
/// safe: one works, the other waits.
///
/// # Errors
/// It can't be opened or changed.
pub(crate) async fn bring_up_to_date(options: &DatabaseOptions, roles: &RoleOptions) -> Result<()> {
    let store = open_with(options, FEW).await?;
    let ready = async {
        migrate(&store).await?;
        let Some(role) = &roles.serving_role else {
            return Ok(());
        };
        let granted = store.grant_serving(role).await;
        granted.context("giving the role that serves its rights (CEP_SERVING_ROLE)")
    };
    let ready = ready.await;
    closed_after(store, ready).await
}

/// Webhooks of a database that was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndedByRestore {
    /// Those that are disabled until their owners enable them.
    pub(crate) disabled: u64,
    /// Those that were disabled already.
    pub(crate) disabled_before: u64,
}

/// Ends what a database that was restored from a copy may have revived: every session of before, and webhooks until
/// their owners enable them again.
///
/// # Errors
/// There is no database, or it has no tables; a gateway serves on it; it can't be opened or changed.
pub(crate) async fn end_revived(
    options: &DatabaseOptions,
    at: DateTime<Utc>,
) -> Result<EndedByRestore> {
    let deployment = if options.is_server() {
        Deployment::Replicated
    } else {
        Deployment::Embedded
    };
    if let Some(missing) = Store::missing_file(&url(options)?)? {
        bail!(
            "there is no database {} ({}): restore a copy there first",
            missing.display(),
            variable(options)
        );
    }
    let _lock = lock(options, deployment)?;
    let store = open_with(options, FEW).await?;
    let ended = end_revived_on(&store, deployment, at).await;
    let ended = ended.with_context(|| format!("the restored database ({})", variable(options)));
    closed_after(store, ended).await
}

async fn end_revived_on(
    store: &Store,
    deployment: Deployment,
    at: DateTime<Utc>,
) -> Result<EndedByRestore> {
    if !store.has_tables().await? {
        bail!(
            "it has no tables, so what was restored is no copy of a gateway's database: restore one first"
        );
    }
    at_newest_schema(deployment, store).await?;
    Ok(EndedByRestore {
        disabled_before: store.disabled_endpoints().await?,
        disabled: application::end_revived(store, store, at).await?,
    })
}

async fn migrate(store: &Store) -> Result<()> {
    let migrated = store.migrate().await;
    migrated.context("bringing the database to its newest schema")
}

/// Opens further connections to the same database for the dashboard.
///
/// # Errors
/// A database that fails.
async fn open_for_insights(store: &Store) -> Result<Store> {
    let opened = store.with_separate_pool(FEW).await;
    opened.context("opening the dashboard's connections to the database")
}

async fn open_with(options: &DatabaseOptions, connections: u32) -> Result<Store> {
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

fn url(options: &DatabaseOptions) -> Result<String> {
    match options.database_url.get() {
        Some(url) => Ok(url.reveal().to_owned()),
        None => sqlite_url(&options.data_dir.join(DATABASE)).context("CEP_DATA_DIR"),
    }
}

/// The variable that names the database.
fn variable(options: &DatabaseOptions) -> &'static str {
    match options.database_url.get() {
        Some(_) => "CEP_DATABASE_URL",
        None => "CEP_DATA_DIR",
    }
}

/// The connections of the dashboard's queries; `None` when there is no dashboard.
///
/// # Errors
/// The database fails.
pub(super) async fn for_insights(
    store: &Store,
    identity: Option<&Identity>,
) -> Result<Option<Store>> {
    match identity {
        Some(_) => open_for_insights(store).await.map(Some),
        None => Ok(None),
    }
}
