//! Cost of queries: the number of statements, and their plans.

use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use domain::customer::Customer;
use domain::key::{ApiKey, KeyBounds, KeyId};
use domain::page::{PageRequest, PageSize};
use ports::contract::fixture::{act, customer, record_of};
use ports::outbound::{CustomerStore, KeyStore, Scope};
use sea_orm::{ConnectionTrait, Statement};
use tempfile::TempDir;

use crate::store::Store;

mod counts;
mod plans;

/// A store that records its statements, with two customers.
struct RecordingStore {
    store: Store,
    /// The same store without the recorder.
    unrecorded: Store,
    statements: Arc<Mutex<Vec<Statement>>>,
    _folder: TempDir,
}

impl RecordingStore {
    /// Adds so many keys of the first customer, and one of the second.
    async fn with_keys(keys: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = crate::sqlite_url(&folder.path().join("cep.db")).unwrap();
        let unrecorded = Store::open(&url).await.unwrap();
        unrecorded.migrate().await.unwrap();
        for number in 1..=keys {
            add(&unrecorded, &customer(1), number).await;
        }
        add(&unrecorded, &customer(2), keys + 1).await;
        let mut store = Store::open(&url).await.unwrap();
        let statements = Arc::<Mutex<Vec<Statement>>>::default();
        store.connection.set_metric_callback({
            let statements = Arc::clone(&statements);
            move |info| statements.lock().unwrap().push(info.statement.clone())
        });
        Self {
            store,
            unrecorded,
            statements,
            _folder: folder,
        }
    }

    /// The statements since the last call, without those that begin and end transactions.
    fn take_statements(&self) -> Vec<Statement> {
        std::mem::take(&mut *self.statements.lock().unwrap())
    }

    /// The plan of the last statements, line by line.
    async fn plan(&self) -> String {
        let mut lines = Vec::new();
        for statement in self.take_statements() {
            let sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
            let explained = Statement { sql, ..statement };
            let connection = &self.unrecorded.connection;
            for row in connection.query_all_raw(explained).await.unwrap() {
                lines.push(row.try_get::<String>("", "detail").unwrap());
            }
        }
        lines.join("\n")
    }
}

async fn add(store: &Store, of: &Customer, number: u16) -> ApiKey {
    store.find_or_insert(of).await.unwrap();
    let (record, act) = (record_of(of, number), act(number));
    store
        .insert(record.clone(), KeyBounds::Unbounded, &act)
        .await
        .unwrap();
    record.key
}

fn own() -> Scope {
    Scope::Of(customer(1).id)
}

fn key(number: u16) -> KeyId {
    record_of(&customer(1), number).key.id
}

fn now() -> DateTime<Utc> {
    act(1).at
}

fn twenty() -> PageRequest {
    PageRequest::first(PageSize::new(20).unwrap())
}
