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
use super::statistics::{Increase, Place, Statistics};
use crate::row::stored;
use crate::usage::counts;

/// Rows of one statement: powers of two, because each statement is a change of threads and back,
/// about 10 µs. The largest binds 5,376 values; SQLite takes 32,766, PostgreSQL 65,535.
const SIZES: [usize; 9] = [256, 128, 64, 32, 16, 8, 4, 2, 1];

/// One kind of insert.
struct Insert {
    into: String,
    columns: usize,
    on_conflict: String,
}

fn mark() -> Insert {
    Insert {
        into: "journal_marks (writer, batch, at)".to_owned(),
        columns: 3,
        on_conflict: "(writer) DO UPDATE SET batch = excluded.batch, at = excluded.at".to_owned(),
    }
}

fn monthly_use() -> Insert {
    Insert {
        into: "monthly_use (key_id, month, charged, refunded, last_used_at)".to_owned(),
        columns: 5,
        on_conflict: "(key_id, month) DO UPDATE SET \
            charged = monthly_use.charged + excluded.charged, \
            refunded = monthly_use.refunded + excluded.refunded, \
            last_used_at = CASE WHEN excluded.last_used_at > monthly_use.last_used_at \
                THEN excluded.last_used_at ELSE monthly_use.last_used_at END"
            .to_owned(),
    }
}

fn request() -> Insert {
    Insert {
        into: "requests (id, request_id, customer_id, key_id, endpoint, outcome, issuer, \
            receiver, at, duration_ms, bank_ms)"
            .to_owned(),
        columns: 11,
        on_conflict: "(id) DO NOTHING".to_owned(),
    }
}

/// Adds to rows of use, which `whose` and `slot` tell apart.
fn usage(table: &str, whose: &str, slot: &str) -> Insert {
    let counts: Vec<_> = counts().collect();
    let columns = counts.join(", ");
    let sum = |column: &String| format!("{column} = {table}.{column} + excluded.{column}");
    let sums: Vec<_> = counts.iter().map(sum).collect();
    let place = format!("{whose}, {slot}, endpoint, outcome");
    Insert {
        into: format!("{table} ({place}, {columns})"),
        columns: 4 + counts.len(),
        on_conflict: format!("({place}) DO UPDATE SET {}", sums.join(", ")),
    }
}

/// An insert in all its sizes, the largest first.
#[derive(Debug)]
struct Sized {
    columns: usize,
    sql: [String; SIZES.len()],
}

/// The statements for one kind of database.
#[derive(Debug)]
pub(super) struct Statements {
    backend: DbBackend,
    mark: Sized,
    uses: Sized,
    hours: Sized,
    days: Sized,
    requests: Sized,
}

impl Statements {
    pub(super) fn new(backend: DbBackend) -> Self {
        let sized = |insert: &Insert| Sized {
            columns: insert.columns,
            sql: SIZES.map(|rows| insert.sql(backend, rows)),
        };
        Self {
            backend,
            mark: sized(&mark()),
            uses: sized(&monthly_use()),
            hours: sized(&usage("usage_hours", "key_id", "hour")),
            days: sized(&usage("customer_usage_days", "customer_id", "day")),
            requests: sized(&request()),
        }
    }

    /// What writes a batch, the `number`th of this writer, in the order in which it must run: two
    /// writers that lock the rows of the same keys and customers in the same order never wait for
    /// each other in a circle.
    pub(super) fn of(&self, batch: &Batch, writer: Uuid, number: i64) -> Vec<Statement> {
        let newest = batch.newest.map_or(0, |at| at.timestamp_millis());
        let mark = [writer.to_string().into(), number.into(), newest.into()];
        let mut statements = self.insert(&self.mark, mark);
        let mut used: Vec<_> = batch.used.iter().collect();
        used.sort_unstable_by_key(|(place, _)| **place);
        let used = used.into_iter().flat_map(|((key, month), used)| {
            [
                key.to_string().into(),
                i64::from(month.number()).into(),
                stored(used.count.charged).into(),
                stored(used.count.refunded).into(),
                minute(used.last.timestamp_millis()).into(),
            ]
        });
        statements.extend(self.insert(&self.uses, used));
        let statistics = Statistics::of(batch);
        let hours = statistics.hours().into_iter();
        let hours = hours.flat_map(|(place, increase)| usage_row(place, increase));
        statements.extend(self.insert(&self.hours, hours));
        let days = statistics.days().into_iter();
        let days = days.flat_map(|(place, increase)| usage_row(place, increase));
        statements.extend(self.insert(&self.days, days));
        let requests = batch.requests.iter().flat_map(|request| {
            [
                request.id.to_string().into(),
                request.request_id.as_str().into(),
                request.customer.to_string().into(),
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
        statements.extend(self.insert(&self.requests, requests));
        statements
    }

    /// The statements that insert rows, given value by value.
    fn insert(&self, insert: &Sized, values: impl IntoIterator<Item = Value>) -> Vec<Statement> {
        let values: Vec<_> = values.into_iter().collect();
        let mut values = values.into_iter();
        let mut statements = Vec::new();
        for (rows, sql) in SIZES.iter().zip(&insert.sql) {
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

/// The values of a row of use.
fn usage_row<Whose: ToString>(
    (whose, slot, endpoint, outcome): &Place<Whose>,
    increase: &Increase,
) -> impl Iterator<Item = Value> + use<Whose> {
    let place = [
        whose.to_string().into(),
        (*slot).into(),
        endpoint.name().into(),
        outcome.name().into(),
        stored(increase.requests).into(),
    ];
    let latencies = increase.latencies.counts();
    place
        .into_iter()
        .chain(latencies.into_iter().map(|count| stored(count).into()))
}

fn code(participant: ParticipantCode) -> i64 {
    participant.number().into()
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// The minute that an instant lies in; both in unix milliseconds.
fn minute(millis: i64) -> i64 {
    millis - millis.rem_euclid(60_000)
}
