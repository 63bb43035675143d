//! A database in a folder of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::key::KeyId;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::participant::ParticipantCode;
use domain::request::RequestId;
use ports::contract::journal::KeptRequests;
use ports::contract::key_store::record;
use ports::inbound::Banks;
use ports::outbound::{AdmissionEntry, KeyStore, RequestEntry};
use sea_orm::{
    ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend, FromQueryResult,
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

    pub(crate) async fn open_with(&self, options: StoreOptions) -> Store {
        let store = Store::open_with(&self.url(), options).await.unwrap();
        store.migrate().await.unwrap();
        store
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

    pub(crate) async fn requests(&self) -> Vec<RequestEntry> {
        let all = "SELECT id, request_id, key_id, endpoint, outcome, issuer, receiver, at, \
                   duration_ms, bank_ms FROM requests ORDER BY id";
        let all = Statement::from_string(DbBackend::Sqlite, all);
        let rows = RequestRow::find_by_statement(all)
            .all(&self.connect().await)
            .await
            .unwrap();
        rows.into_iter().map(RequestRow::read).collect()
    }
}

/// The requests of a folder's database.
pub(crate) struct Kept(pub(crate) Arc<Folder>);

#[async_trait]
impl KeptRequests for Kept {
    async fn all(&self) -> Vec<RequestEntry> {
        self.0.requests().await
    }
}

#[derive(FromQueryResult)]
struct RequestRow {
    id: String,
    request_id: String,
    key_id: String,
    endpoint: String,
    outcome: String,
    issuer: Option<i64>,
    receiver: Option<i64>,
    at: i64,
    duration_ms: i64,
    bank_ms: Option<i64>,
}

impl RequestRow {
    fn read(self) -> RequestEntry {
        let code = |number: i64| ParticipantCode::parse(&number.to_string()).unwrap();
        let millis = |millis: i64| Duration::from_millis(millis.unsigned_abs());
        let banks = self.issuer.zip(self.receiver);
        RequestEntry {
            id: self.id.parse().unwrap(),
            request_id: RequestId::parse(&self.request_id).unwrap(),
            key: KeyId(self.key_id.parse().unwrap()),
            endpoint: *Endpoint::ALL
                .iter()
                .find(|endpoint| endpoint.name() == self.endpoint)
                .unwrap(),
            outcome: *Outcome::ALL
                .iter()
                .find(|outcome| outcome.name() == self.outcome)
                .unwrap(),
            banks: banks.map(|(issuer, receiver)| Banks {
                issuer: code(issuer),
                receiver: code(receiver),
            }),
            at: DateTime::from_timestamp_millis(self.at).unwrap(),
            duration: millis(self.duration_ms),
            bank_time: self.bank_ms.map(millis),
            refund: None,
        }
    }
}

/// The journal of a process.
pub(crate) fn journal(store: &Store, process: u128) -> Journal {
    store.journal(Uuid::from_u128(process))
}

pub(crate) async fn add_key(store: &Store, number: u16) -> KeyId {
    let record = record(number);
    let id = record.key.id;
    store.insert(record).await.unwrap();
    id
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

pub(crate) fn request(number: u128, key: KeyId, outcome: Outcome) -> RequestEntry {
    let id = Uuid::from_u128(number);
    RequestEntry {
        id,
        request_id: RequestId::from_uuid(id),
        key,
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

/// One number out of the database.
pub(crate) async fn number(connection: &impl ConnectionTrait, sql: &str) -> i64 {
    let query = Statement::from_string(DbBackend::Sqlite, sql);
    let row = connection.query_one_raw(query).await.unwrap().unwrap();
    row.try_get_by_index(0).unwrap()
}
