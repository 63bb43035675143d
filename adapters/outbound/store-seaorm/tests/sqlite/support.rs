//! A database in a folder of its own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::key::{ApiKey, KeyId};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Direction, PageAsk, PageSize};
use domain::request::RequestId;
use domain::usage::Only;
use ports::contract::fixture::{act, customer, record};
use ports::inbound::{KeyFilter, KeyListing, KeyOrderBy, RequestListing, RequestRecord};
use ports::outbound::{
    AdmissionEntry, CustomerStore, KeyChange, KeyStore, ListError, RefusalEntry, RequestEntry,
    Scope, UpdateError, UsageReader,
};
use sea_orm::{
    ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
};
use store_seaorm::{Journal, Store, StoreOptions, sqlite_url};
use tempfile::TempDir;
use uuid::Uuid;

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

    /// The same, with options that need not last for making the tables.
    pub(crate) async fn open_with(&self, options: StoreOptions) -> Store {
        let store = Store::open(&self.url()).await.unwrap();
        store.migrate().await.unwrap();
        store.close().await.unwrap();
        Store::open_with(&self.url(), options).await.unwrap()
    }

    /// A plain connection, past the store.
    pub(crate) async fn connect(&self) -> DatabaseConnection {
        Database::connect(self.url()).await.unwrap()
    }

    /// Holds the database's write lock until the answer is dropped.
    pub(crate) async fn lock(&self) -> DatabaseTransaction {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        self.connect()
            .await
            .begin_with_options(options)
            .await
            .unwrap()
    }

    /// The requests that are kept, newest first, at most 100 of them.
    pub(crate) async fn requests(&self) -> Vec<RequestRecord> {
        let store = self.open().await;
        let page = store.requests(Scope::Everybody, &newest()).await.unwrap();
        page.items.into_iter().map(|(_, request)| request).collect()
    }

    /// One number out of the database.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        let query = Statement::from_string(DbBackend::Sqlite, sql);
        let row = self.connect().await.query_one_raw(query).await.unwrap();
        row.unwrap().try_get_by_index(0).unwrap()
    }
}

/// Requests, newest first, at most 100 of them.
pub(crate) fn newest() -> RequestListing {
    RequestListing {
        key: None,
        only: Only::default(),
        request_id: None,
        from: None,
        to: None,
        page: PageAsk::first(PageSize::MAX),
    }
}

/// The journal of a process.
pub(crate) fn journal(store: &Store, process: u128) -> Journal {
    store.journal(Uuid::from_u128(process))
}

/// Adds a key of the first customer's.
pub(crate) async fn add_key(store: &Store, number: u16) -> KeyId {
    store.enrol(&customer(1)).await.unwrap();
    let record = record(number);
    let id = record.key.id;
    store.insert(record, u64::MAX, &act(number)).await.unwrap();
    id
}

/// All keys, newest first, at most 100 of them.
pub(crate) async fn keys(store: &Store) -> Result<Vec<ApiKey>, ListError> {
    let all = KeyListing {
        filter: KeyFilter::default(),
        order: KeyOrderBy::Created,
        direction: Direction::Descending,
        page: PageAsk::first(PageSize::MAX),
    };
    let page = store.list(Scope::Everybody, Month::of(now()), &all).await?;
    Ok(page.items.into_iter().map(|(_, item)| item.key).collect())
}

/// Revokes a key in the `number`th act.
pub(crate) async fn revoke(store: &Store, key: KeyId, number: u16) -> Result<ApiKey, UpdateError> {
    let act = act(number);
    store
        .change(Scope::Everybody, key, &KeyChange::Revoke, &act)
        .await
}

pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

pub(crate) fn admission(key: KeyId) -> AdmissionEntry {
    AdmissionEntry {
        key,
        month: Month::of(now()),
        at: now(),
    }
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

pub(crate) fn request(number: u128, key: KeyId, outcome: Outcome) -> RequestEntry {
    let id = Uuid::from_u128(number);
    RequestEntry {
        id,
        request_id: RequestId::from_uuid(id),
        key,
        customer: customer(1).id,
        endpoint: Endpoint::Xml,
        outcome,
        banks: None,
        at: now(),
        duration: Duration::from_millis(1),
        bank_time: None,
        refund: outcome.is_refunded().then(|| Month::of(now())),
    }
}

/// What a key was charged this month, and given back.
pub(crate) async fn used(store: &Store, key: KeyId) -> (u64, u64) {
    let snapshot = store.snapshot(key, Month::of(now())).await.unwrap();
    let used = snapshot.unwrap().used;
    (used.charged, used.refunded)
}
