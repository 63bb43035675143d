//! The statements that write a batch.
//!
//! Inserts of many rows, in a few fixed sizes: a connection prepares each of them once, and the
//! cost of a round trip is shared. Raw SQL, because building it anew for every batch would cost
//! more than running it.

use std::time::Duration;

use domain::participant::ParticipantCode;
use sea_orm::{DbBackend, Statement, Value};
use uuid::Uuid;

use super::queue::Batch;

/// Rows of one statement: powers of two, because each statement is a change of threads and back,
/// about 10 µs. The largest binds 2,560 values; SQLite takes 32,766, PostgreSQL 65,535.
const SIZES: [usize; 9] = [256, 128, 64, 32, 16, 8, 4, 2, 1];

/// One kind of insert.
struct Insert {
    into: &'static str,
    columns: usize,
    on_conflict: &'static str,
}

const USE: Insert = Insert {
    into: "monthly_use (key_id, month, charged, refunded, last_used_at)",
    columns: 5,
    on_conflict: "(key_id, month) DO UPDATE SET \
        charged = monthly_use.charged + excluded.charged, \
        refunded = monthly_use.refunded + excluded.refunded, \
        last_used_at = CASE WHEN excluded.last_used_at > monthly_use.last_used_at \
            THEN excluded.last_used_at ELSE monthly_use.last_used_at END",
};

const MARK: Insert = Insert {
    into: "journal_marks (writer, batch, at)",
    columns: 3,
    on_conflict: "(writer) DO UPDATE SET batch = excluded.batch, at = excluded.at",
};

const REQUEST: Insert = Insert {
    into: "requests (id, request_id, key_id, endpoint, outcome, issuer, receiver, at, \
        duration_ms, bank_ms)",
    columns: 10,
    on_conflict: "(id) DO NOTHING",
};

/// The statements for one kind of database.
#[derive(Debug)]
pub(super) struct Statements {
    backend: DbBackend,
    mark: String,
    uses: [String; SIZES.len()],
    requests: [String; SIZES.len()],
}

impl Statements {
    pub(super) fn new(backend: DbBackend) -> Self {
        let sizes = |insert: &Insert| SIZES.map(|rows| insert.sql(backend, rows));
        Self {
            backend,
            mark: MARK.sql(backend, 1),
            uses: sizes(&USE),
            requests: sizes(&REQUEST),
        }
    }

    /// What writes a batch, the `number`th of this writer, in the order in which it must run: two
    /// writers that lock the counters of the same keys in the same order never wait for each other
    /// in a circle.
    pub(super) fn of(&self, batch: &Batch, writer: Uuid, number: i64) -> Vec<Statement> {
        let newest = batch.newest.map_or(0, |at| at.timestamp_millis());
        let mark = [writer.to_string().into(), number.into(), newest.into()];
        let mark = Statement::from_sql_and_values(self.backend, &self.mark, mark);
        let mut used: Vec<_> = batch.used.iter().collect();
        used.sort_unstable_by_key(|(place, _)| **place);
        let used = used.into_iter().flat_map(|((key, month), used)| {
            [
                key.to_string().into(),
                i64::from(month.number()).into(),
                count(used.count.charged),
                count(used.count.refunded),
                minute(used.last.timestamp_millis()).into(),
            ]
        });
        let used = self.chunks(&self.uses, &USE, used.collect());
        let requests = batch.requests.iter().flat_map(|request| {
            [
                request.id.to_string().into(),
                request.request_id.as_str().into(),
                request.key.to_string().into(),
                request.endpoint.name().into(),
                request.outcome.name().into(),
                request.banks.map(|banks| code(banks.issuer)).into(),
                request.banks.map(|banks| code(banks.receiver)).into(),
                request.at.timestamp_millis().into(),
                millis(request.duration).into(),
                request.bank_time.map(millis).into(),
            ]
        });
        let requests = self.chunks(&self.requests, &REQUEST, requests.collect());
        std::iter::once(mark).chain(used).chain(requests).collect()
    }

    fn chunks(
        &self,
        sql: &[String; SIZES.len()],
        insert: &Insert,
        values: Vec<Value>,
    ) -> Vec<Statement> {
        let mut statements = Vec::new();
        let mut values = values.into_iter();
        for (rows, sql) in SIZES.iter().zip(sql) {
            while values.len() >= rows * insert.columns {
                let chunk = values.by_ref().take(rows * insert.columns);
                statements.push(Statement::from_sql_and_values(self.backend, sql, chunk));
            }
        }
        statements
    }
}

impl Insert {
    fn sql(&self, backend: DbBackend, rows: usize) -> String {
        let row = |row: usize| {
            let places = (1..=self.columns).map(|column| match backend {
                DbBackend::Postgres => format!("${}", row * self.columns + column),
                // Numbered places are looked up by name: quadratic in their number.
                DbBackend::Sqlite | DbBackend::MySql | _ => "?".to_owned(),
            });
            format!("({})", places.collect::<Vec<_>>().join(", "))
        };
        let rows = (0..rows).map(row).collect::<Vec<_>>().join(", ");
        let Self {
            into, on_conflict, ..
        } = self;
        format!("INSERT INTO {into} VALUES {rows} ON CONFLICT {on_conflict}")
    }
}

fn code(participant: ParticipantCode) -> i64 {
    participant.number().into()
}

fn count(count: u64) -> Value {
    i64::try_from(count).unwrap_or(i64::MAX).into()
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// The minute that an instant lies in; both in unix milliseconds.
fn minute(millis: i64) -> i64 {
    millis - millis.rem_euclid(60_000)
}
