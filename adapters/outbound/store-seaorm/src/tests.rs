//! Cost of queries: the number of statements, and their plans.

use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use domain::customer::Customer;
use domain::key::{ApiKey, KeyId};
use domain::page::{PageRequest, PageSize};
use ports::contract::fixture::{act, customer, record_of};
use ports::outbound::{CustomerStore, KeyStore, Scope};
use sea_orm::{ConnectionTrait, Statement};
use tempfile::TempDir;

use crate::store::Store;

mod counts;
mod plans;

/// A store that records its statements, with two customers.
struct Watched {
    store: Store,
    /// The same store without the recorder.
    unseen: Store,
    seen: Arc<Mutex<Vec<Statement>>>,
    _folder: TempDir,
}

impl Watched {
    /// Adds so many keys of the first customer, and one of the second.
    async fn with_keys(keys: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = crate::sqlite_url(&folder.path().join("cep.db")).unwrap();
        let unseen = Store::open(&url).await.unwrap();
        unseen.migrate().await.unwrap();
        for number in 1..=keys {
            add(&unseen, &customer(1), number).await;
        }
        add(&unseen, &customer(2), keys + 1).await;
        let mut store = Store::open(&url).await.unwrap();
        let seen = Arc::<Mutex<Vec<Statement>>>::default();
        store.connection.set_metric_callback({
            let seen = Arc::clone(&seen);
            move |info| seen.lock().unwrap().push(info.statement.clone())
        });
        Self {
            store,
            unseen,
            seen,
            _folder: folder,
        }
    }

    /// The statements since the last call, without those that begin and end transactions.
    fn taken(&self) -> Vec<Statement> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }

    /// The plan of the last statements, line by line.
    async fn plan(&self) -> String {
        let mut lines = Vec::new();
        for statement in self.taken() {
            let sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
            let explained = Statement { sql, ..statement };
            let connection = &self.unseen.connection;
            for row in connection.query_all_raw(explained).await.unwrap() {
                lines.push(row.try_get::<String>("", "detail").unwrap());
            }
        }
        lines.join("\n")
    }
}

async fn add(store: &Store, of: &Customer, number: u16) -> ApiKey {
    store.enrol(of).await.unwrap();
    let (record, act) = (record_of(of, number), act(number));
    store.insert(record.clone(), u64::MAX, &act).await.unwrap();
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
