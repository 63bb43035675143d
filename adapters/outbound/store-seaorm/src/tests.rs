//! Cost of queries: the number of statements, and their plans.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use chrono::{DateTime, TimeDelta, Utc};
use domain::keys::{ApiKey, KeyBounds, KeyId};
use domain::page::{Cursor, PageRequest, PageSize};
use domain::people::customer::Customer;
use domain::request::RequestQuery;
use domain::usage::RequestCriteria;
use ports::contract::fixture::{act, customer, record_of};
use ports::outbound::{CustomerStore, KeyStore, Lease, Scope};
use sea_orm::{ConnectionTrait, Statement};
use tempfile::TempDir;
use uuid::Uuid;

use crate::store::Store;

mod counts;
mod plans;

/// Tables that grow.
const LARGE: [&str; 6] = [
    "api_keys",
    "batches",
    "batch_chunks",
    "lookups",
    "lookup_attempts",
    "lookup_turns",
];

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

    /// Asserts that a query takes so many statements.
    async fn costs<T, E: Debug>(
        &self,
        expected: usize,
        asked: impl Future<Output = Result<T, E>>,
        what: &str,
    ) -> T {
        let answer = asked.await.unwrap();
        assert_eq!(self.take_statements().len(), expected, "{what}");
        answer
    }

    /// The answer to a query that finds its rows in these ways, and reads no large table to its end.
    async fn by<T, E: Debug>(
        &self,
        ways: &[&str],
        asked: impl Future<Output = Result<T, E>>,
    ) -> (T, String) {
        let answer = asked.await.unwrap();
        let plan = self.plan().await;
        for way in ways {
            assert!(plan.contains(way), "not by {way}:\n{plan}");
        }
        for table in LARGE {
            let all = plan.lines().find(|line| *line == format!("SCAN {table}"));
            assert_eq!(all, None, "every row of {table}:\n{plan}");
        }
        (answer, plan)
    }

    /// The same for rows that are found in their order.
    async fn sorted_by<T, E: Debug>(
        &self,
        ways: &[&str],
        asked: impl Future<Output = Result<T, E>>,
    ) -> T {
        let (answer, plan) = self.by(ways, asked).await;
        assert!(!plan.contains("ORDER BY"), "sorted: {plan}");
        answer
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
    let inserted = store.insert(record.clone(), KeyBounds::Unbounded, &act);
    inserted.await.unwrap();
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

/// The first page, and one after it.
fn pages() -> [PageRequest; 2] {
    let first = PageRequest::first(PageSize::new(20).unwrap());
    let after = PageRequest {
        after: Some(Cursor::at(now(), key(1).0)),
        ..first.clone()
    };
    [first, after]
}

fn lease() -> Lease {
    Lease {
        token: Uuid::from_u128(1),
        until: now() + TimeDelta::minutes(1),
    }
}

fn newest(page: PageRequest) -> RequestQuery {
    RequestQuery {
        key: None,
        criteria: RequestCriteria::default(),
        request_id: None,
        from: None,
        to: None,
        page,
    }
}
