//! A database in a folder of its own.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::keys::{ApiKey, KeyFilter, KeyId, KeyQuery, KeySort};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Direction, PageRequest, PageSize};
use domain::request::RequestRecord;
use ports::contract::fixture::customer;
use ports::outbound::{KeyStore, ListError, RefusalEntry, Scope, UsageReader};
use sea_orm::{
    Database, DatabaseConnection, DatabaseTransaction, SqliteTransactionMode, TransactionOptions,
    TransactionTrait,
};
use store_seaorm::{Journal, Store, StoreOptions, sqlite_url};
use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::both::entries::{add_key, journal, newest, now, number};

/// A folder with a database in it.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path().join("cep.db")
    }

    pub(crate) fn url(&self) -> String {
        sqlite_url(&self.database()).unwrap()
    }

    /// Another handle on the database, as another process would open it.
    pub(crate) async fn open(&self) -> Store {
        self.open_with(StoreOptions::default()).await
    }

    /// As [`Folder::open`], with options that may be too short for creating the tables.
    pub(crate) async fn open_with(&self, options: StoreOptions) -> Store {
        if self.database().exists() {
            self.migrate().await;
        } else {
            let mut new = File::options();
            let new = new.write(true).create_new(true).mode(0o600);
            let mut file = new.open(self.database()).unwrap();
            file.write_all(migrated().await).unwrap();
        }
        Store::open_with(&self.url(), options).await.unwrap()
    }

    async fn migrate(&self) {
        let store = Store::open(&self.url()).await.unwrap();
        store.migrate().await.unwrap();
        store.close().await.unwrap();
    }

    /// A plain connection that bypasses the store.
    pub(crate) async fn connect(&self) -> DatabaseConnection {
        Database::connect(self.url()).await.unwrap()
    }

    /// Holds the database's write lock until the transaction is dropped.
    pub(crate) async fn lock(&self) -> DatabaseTransaction {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        let connection = self.connect().await;
        connection.begin_with_options(options).await.unwrap()
    }

    /// The stored requests, newest first, at most 100 of them.
    pub(crate) async fn requests(&self) -> Vec<RequestRecord> {
        let store = self.open().await;
        let page = store.requests(Scope::Everybody, &newest()).await.unwrap();
        page.items.into_iter().map(|(_, request)| request).collect()
    }

    /// The number that a query returns.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        number(&self.connect().await, sql).await
    }
}

/// A database file with all tables, made once.
async fn migrated() -> &'static [u8] {
    static FILE: OnceCell<Vec<u8>> = OnceCell::const_new();
    let made = FILE.get_or_init(async || {
        let folder = Folder::new();
        folder.migrate().await;
        fs::read(folder.database()).unwrap()
    });
    made.await
}

/// A database in a folder of its own, a key in it, and the journal of its use.
pub(crate) async fn with_journal(options: StoreOptions) -> (Folder, Store, KeyId, Journal) {
    let folder = Folder::new();
    let store = folder.open_with(options).await;
    let key = add_key(&store, 1).await;
    let writer = journal(&store, 1);
    (folder, store, key, writer)
}

/// Options with a short patience.
pub(crate) fn impatient() -> StoreOptions {
    StoreOptions {
        busy_timeout: Duration::from_millis(100),
        journal_patience: Duration::from_millis(300),
        ..StoreOptions::default()
    }
}

/// All keys, newest first, at most 100 of them.
pub(crate) async fn keys(store: &Store) -> Result<Vec<ApiKey>, ListError> {
    let all = KeyQuery {
        filter: KeyFilter::default(),
        order: KeySort::Created,
        direction: Direction::Descending,
        page: PageRequest::first(PageSize::MAX),
    };
    let page = store.list(Scope::Everybody, Month::of(now()), &all).await?;
    Ok(page.items.into_iter().map(|(_, item)| item.key).collect())
}

/// A request that the minute's limit refused.
pub(crate) fn refusal(key: KeyId) -> RefusalEntry {
    RefusalEntry {
        key,
        customer: customer(1).id,
        endpoint: Endpoint::Xml,
        outcome: Outcome::RateLimited,
        at: now(),
    }
}
