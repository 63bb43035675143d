//! The database: where it is, and who may serve on it.

use std::fs::File;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use store_seaorm::{SchemaError, Store, StoreOptions, sqlite_url};

use super::Deployment;
use crate::config::Options;

/// The embedded database's name in the data folder.
const DATABASE: &str = "cep.db";

/// Connections of those who look at the dashboard, which are apart: a slow question there must not
/// keep keys, sessions and revocations waiting.
const FEW: u32 = 2;

/// Opens the database, at its newest schema. The embedded one is brought to it; a server, which
/// others use too, has to be there already.
///
/// # Errors
/// What can't be opened, or hasn't the newest schema.
pub(super) async fn open(options: &Options) -> Result<Store> {
    let store = open_with(options, options.database_connections).await?;
    match Deployment::of(options)? {
        Deployment::Embedded => migrate(&store).await?,
        Deployment::Replicated => match store.check_schema().await {
            Ok(()) => {}
            Err(behind @ SchemaError::Behind { .. }) => {
                bail!("{behind}: run `cep-gateway migrate` once, then start");
            }
            Err(error) => {
                return Err(error).context("looking at the database's schema (CEP_DATABASE_URL)");
            }
        },
    }
    Ok(store)
}

/// Brings the database to its newest schema. Two at once are safe: one works, the other waits.
///
/// # Errors
/// When it can't be opened or changed.
pub(crate) async fn bring_up_to_date(options: &Options) -> Result<()> {
    let store = open_with(options, FEW).await?;
    migrate(&store).await?;
    store.close().await.context("closing the database")
}

async fn migrate(store: &Store) -> Result<()> {
    let migrated = store.migrate().await;
    migrated.context("bringing the database to its newest schema")
}

/// Opens the same database, which has its newest schema, for what people look at.
///
/// # Errors
/// When it can't be opened.
pub(super) async fn open_for_insights(options: &Options) -> Result<Store> {
    open_with(options, FEW).await
}

async fn open_with(options: &Options, connections: u32) -> Result<Store> {
    let url = match &options.database_url {
        Some(url) => url.reveal().to_owned(),
        None => sqlite_url(&options.data_dir.join(DATABASE)).context("CEP_DATA_DIR")?,
    };
    let usual = StoreOptions::default();
    let store = StoreOptions {
        connections,
        statement_timeout: options.database_timeout,
        lock_timeout: usual.lock_timeout.min(options.database_timeout),
        ..usual
    };
    let named = match &options.database_url {
        Some(_) => "CEP_DATABASE_URL",
        None => "CEP_DATA_DIR",
    };
    let opened = Store::open_with(&url, store).await;
    opened.with_context(|| format!("opening the database ({named})"))
}

/// Takes the lock that one serving process holds on an embedded database: two would each admit the
/// whole of every limit. Replicas share their limits, and take none; nor do commands that don't
/// serve.
///
/// # Errors
/// When another gateway serves on the database, or the lock can't be made.
pub(crate) fn lock(options: &Options) -> Result<Option<File>> {
    if Deployment::of(options)? == Deployment::Replicated {
        return Ok(None);
    }
    let database = match &options.database_url {
        Some(url) => {
            let path = url.reveal().trim_start_matches("sqlite:");
            let path = path.trim_start_matches("//");
            PathBuf::from(path.split('?').next().unwrap_or(path))
        }
        None => options.data_dir.join(DATABASE),
    };
    let mut path = database.into_os_string();
    path.push(".lock");
    let path = PathBuf::from(path);
    let lock = File::create(&path).with_context(|| format!("making {}", path.display()))?;
    lock.try_lock().with_context(|| {
        format!(
            "another gateway serves on this database ({} is locked)",
            path.display()
        )
    })?;
    Ok(Some(lock))
}
