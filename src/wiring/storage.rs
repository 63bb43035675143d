//! The database: where it is, and who may serve on it.

use std::fs::File;
use std::path::PathBuf;

use anyhow::{Context, Result};
use store_seaorm::{Store, StoreOptions, sqlite_url};

use crate::config::Options;

/// The embedded database's name in the data folder.
const DATABASE: &str = "cep.db";

/// Connections of those who look at the dashboard: a slow question there must not keep keys,
/// sessions and revocations waiting for one of theirs.
const FOR_INSIGHTS: u32 = 2;

/// Opens the database, at its newest schema.
///
/// # Errors
/// What can't be opened, or brought to its newest schema.
pub(super) async fn open(options: &Options) -> Result<Store> {
    let store = open_with(options, StoreOptions::default()).await?;
    store
        .migrate()
        .await
        .context("bringing the database to its newest schema")?;
    Ok(store)
}

/// Opens the same database, which has its newest schema, for what people look at.
///
/// # Errors
/// When it can't be opened.
pub(super) async fn open_for_insights(options: &Options) -> Result<Store> {
    let few = StoreOptions {
        connections: FOR_INSIGHTS,
        ..StoreOptions::default()
    };
    open_with(options, few).await
}

async fn open_with(options: &Options, store: StoreOptions) -> Result<Store> {
    let url = match &options.database_url {
        Some(url) => url.clone(),
        None => sqlite_url(&options.data_dir.join(DATABASE)).context("CEP_DATA_DIR")?,
    };
    Store::open_with(&url, store)
        .await
        .context("opening the database (CEP_DATA_DIR, CEP_DATABASE_URL)")
}

/// Takes the lock that one serving process holds on a database: two would each admit the whole of
/// every limit. Commands that don't serve need no lock.
///
/// # Errors
/// When another gateway serves on the database, or the lock can't be made.
pub(crate) fn lock(options: &Options) -> Result<File> {
    let database = match options.database_url.as_deref() {
        Some(url) => {
            let path = url.trim_start_matches("sqlite:").trim_start_matches("//");
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
    Ok(lock)
}
