//! Plans of a store's statements, read from the server's log (`auto_explain`).

use std::fmt::Debug;
use std::time::Duration;

use sea_orm::{Database, DatabaseConnection};
use store_seaorm::Store;
use testkit::eventually;
use testkit::postgres::Postgres;

use crate::both::entries::number;

/// Rows that a node of a plan may read: pages of the rarest matches, and lists of whole months of a
/// customer, stay far below. A sequential scan of a large table doesn't.
const MOST_READ: f64 = 25_000.0;

/// The number of other sessions with a statement in progress.
const BUSY: &str = "SELECT count(*) FROM pg_stat_activity
    WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()";

/// A store whose plans are in the server's log.
pub(crate) struct ExplainedStore<'a> {
    server: &'a Postgres,
    connection: DatabaseConnection,
    pub(crate) store: Store,
}

impl<'a> ExplainedStore<'a> {
    /// A store on a server's database, whose statements are planned in this way (`plan_cache_mode`).
    pub(crate) async fn open(server: &'a Postgres, database: &str, plans: &str) -> Self {
        let explained = "-c%20session_preload_libraries%3Dauto_explain\
                         %20-c%20auto_explain.log_min_duration%3D0\
                         %20-c%20auto_explain.log_analyze%3Don\
                         %20-c%20auto_explain.log_timing%3Doff";
        let url = format!(
            "{}&options={explained}%20-c%20plan_cache_mode%3D{plans}",
            server.url(database)
        );
        Self {
            server,
            connection: Database::connect(server.url(database)).await.unwrap(),
            store: Store::open(&url).await.unwrap(),
        }
    }

    /// The answer to a query, and its plan, line by line.
    pub(crate) async fn explain<T, E: Debug>(
        &self,
        asked: impl Future<Output = Result<T, E>>,
    ) -> (T, String) {
        let before = self.server.logged_bytes();
        let answer = asked.await.unwrap();
        // A plan is written when its statement ends, which is later than its first row.
        let connection = &self.connection;
        eventually("all statements end", Duration::from_secs(30), async || {
            number(connection, BUSY).await == 0
        })
        .await;
        let log = self.server.logged_after(before);
        assert!(log.contains("Query Text"), "no plan");
        (answer, log)
    }

    /// The answer to a query that finds its rows through these indexes, and reads no large table to its end.
    pub(crate) async fn through<T, E: Debug>(
        &self,
        indexes: &[&str],
        asked: impl Future<Output = Result<T, E>>,
    ) -> T {
        let (answer, plan) = self.explain(asked).await;
        assert_through(&plan, indexes);
        answer
    }

    /// The answer to a query for a page, which is found through an index. Its statement has a limit: the total is
    /// counted separately, through the smallest index.
    pub(crate) async fn page_through<T, E: Debug>(
        &self,
        index: &str,
        asked: impl Future<Output = Result<T, E>>,
    ) -> T {
        let (answer, plan) = self.explain(asked).await;
        let mut statements = plan.split("Query Text");
        let page = statements.find(|statement| statement.contains("Limit  ("));
        assert_through(page.unwrap(), &[index]);
        answer
    }

    /// The answer to a query that reads few rows.
    pub(crate) async fn cheaply<T, E: Debug>(
        &self,
        asked: impl Future<Output = Result<T, E>>,
    ) -> T {
        let (answer, plan) = self.explain(asked).await;
        assert_reads_little(&plan);
        answer
    }
}

/// Tables that grow.
const LARGE: [&str; 16] = [
    "requests",
    "usage_hours",
    "audit_log",
    "api_keys",
    "key_changes",
    "monthly_use",
    "denied",
    "proof_archive",
    "customers",
    "lookups",
    "lookup_attempts",
    "batches",
    "batch_chunks",
    "lookup_turns",
    "idempotency_keys",
    "webhook_deliveries",
];

pub(crate) fn assert_through(plan: &str, indexes: &[&str]) {
    for index in indexes {
        assert!(plan.contains(index), "not by {index}:\n{plan}");
    }
    for table in LARGE {
        let all = format!("Seq Scan on {table}");
        assert!(!plan.contains(&all), "every row of {table}:\n{plan}");
    }
    assert_reads_little(plan);
}

fn assert_reads_little(plan: &str) {
    let read = most_read(plan);
    assert!(read <= MOST_READ, "{read} rows are read:\n{plan}");
}

/// Rows read by the node of a plan that reads the most, including those it filters out.
fn most_read(plan: &str) -> f64 {
    let number = |line: &str, after: &str| -> Option<f64> {
        let (_, rest) = line.split_once(after)?;
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        rest[..end.unwrap_or(rest.len())].parse().ok()
    };
    let (mut most, mut rows, mut loops) = (0.0_f64, 0.0, 1.0);
    for line in plan.lines() {
        if let Some(found) = number(line, "actual rows=") {
            rows = if line.contains("Scan") { found } else { 0.0 };
            loops = number(line, "loops=").unwrap_or(1.0);
        }
        // Numbers of a plan are those of one loop.
        rows += number(line, "Rows Removed by Filter: ").unwrap_or_default();
        rows += number(line, "Rows Removed by Index Recheck: ").unwrap_or_default();
        most = most.max(rows * loops);
    }
    most
}
