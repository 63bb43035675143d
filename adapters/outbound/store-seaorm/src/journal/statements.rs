//! The statements that write a batch. Raw SQL, because building it anew for every batch would cost
//! more than running it.
//!
//! For SQLite, inserts of many rows in a few fixed sizes: a connection prepares each of them once,
//! and the cost of a call is shared. For PostgreSQL one statement a table, with arrays as
//! parameters: a batch holds its rows while it is written, so the fewer answers it waits for, the
//! sooner another process gets them.

use std::time::Duration;

use domain::participant::ParticipantCode;
use sea_orm::sea_query::ArrayType;
use sea_orm::{DbBackend, Statement, Value};

use super::batch::Batch;
use super::statistics::{Increase, Place, Statistics};
use crate::row::stored;
use crate::usage::counts;

/// Rows of one statement for SQLite: powers of two, because each statement is a switch to another
/// thread and back, about 10 µs. The largest binds 5,376 values; SQLite takes 32,766.
const SIZES: [usize; 9] = [256, 128, 64, 32, 16, 8, 4, 2, 1];
/// Rows of one statement for PostgreSQL, at most: about a second's work.
const AT_ONCE: usize = 10_000;
/// Encodes NULL in an array, which can't have any here. Nothing that is stored is negative.
const NO_NUMBER: i64 = -1;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    OptionalNumber,
}

/// An insert with its conflict clause.
struct Insert {
    table: &'static str,
    columns: Vec<(String, Kind)>,
    on_conflict: String,
}

/// Checkpoint of a batch. It changes nothing when the batch was written: of two attempts at one
/// batch, of which the first may still be executing, the second waits for it here and counts
/// nothing again.
fn mark() -> Insert {
    Insert {
        table: "journal_marks",
        columns: columns(&[
            ("writer", Kind::Text),
            ("batch", Kind::Number),
            ("at", Kind::Number),
        ]),
        on_conflict: "(writer) DO UPDATE SET batch = excluded.batch, at = excluded.at \
            WHERE journal_marks.batch <> excluded.batch"
            .to_owned(),
    }
}

fn monthly_use() -> Insert {
    Insert {
        table: "monthly_use",
        columns: columns(&[
            ("key_id", Kind::Text),
            ("month", Kind::Number),
            ("charged", Kind::Number),
            ("refunded", Kind::Number),
            ("last_used_at", Kind::Number),
        ]),
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
        table: "requests",
        columns: columns(&[
            ("id", Kind::Text),
            ("request_id", Kind::Text),
            ("customer_id", Kind::Text),
            ("key_id", Kind::Text),
            ("endpoint", Kind::Text),
            ("outcome", Kind::Text),
            ("issuer", Kind::OptionalNumber),
            ("receiver", Kind::OptionalNumber),
            ("at", Kind::Number),
            ("duration_ms", Kind::Number),
            ("bank_ms", Kind::OptionalNumber),
        ]),
        on_conflict: "(id) DO NOTHING".to_owned(),
    }
}

/// Adds to rows of use, identified by `whose` and `slot`.
fn usage(table: &'static str, whose: &str, slot: &str) -> Insert {
    let sum = |column: &String| format!("{column} = {table}.{column} + excluded.{column}");
    let sums: Vec<_> = counts().map(|column| sum(&column)).collect();
    let mut columns = columns(&[
        (whose, Kind::Text),
        (slot, Kind::Number),
        ("endpoint", Kind::Text),
        ("outcome", Kind::Text),
    ]);
    columns.extend(counts().map(|column| (column, Kind::Number)));
    Insert {
        table,
        columns,
        on_conflict: format!(
            "({whose}, {slot}, endpoint, outcome) DO UPDATE SET {}",
            sums.join(", ")
        ),
    }
}

fn columns(columns: &[(&str, Kind)]) -> Vec<(String, Kind)> {
    let owned = |(name, kind): &(&str, Kind)| ((*name).to_owned(), *kind);
    columns.iter().map(owned).collect()
}

/// An insert as SQL for one kind of database.
#[derive(Debug)]
struct Ready {
    kinds: Vec<Kind>,
    sql: Sql,
}

#[derive(Debug)]
enum Sql {
    /// One text per size, the largest first.
    OfRows(Box<[String; SIZES.len()]>),
    OfColumns(String),
}

/// For PostgreSQL: writes the checkpoint of a batch and its counts, in one statement that is its
/// own transaction. It counts only if the checkpoint is new, as with the two it is made of.
fn marked_use() -> String {
    let (mark, uses) = (mark(), monthly_use());
    let filter = " WHERE EXISTS (SELECT FROM marked)";
    format!(
        "WITH marked AS ({} RETURNING writer) {}",
        mark.of_columns(1, ""),
        uses.of_columns(1 + mark.columns.len(), filter)
    )
}

/// The statements for one kind of database.
#[derive(Debug)]
pub(super) struct Statements {
    backend: DbBackend,
    mark: Ready,
    uses: Ready,
    /// Checkpoint and counts in one statement, for PostgreSQL.
    marked_use: String,
    hours: Ready,
    days: Ready,
    requests: Ready,
}

impl Statements {
    pub(super) fn new(backend: DbBackend) -> Self {
        let ready = |insert: &Insert| insert.ready(backend);
        Self {
            backend,
            mark: ready(&mark()),
            uses: ready(&monthly_use()),
            marked_use: marked_use(),
            hours: ready(&usage("usage_hours", "key_id", "hour")),
            days: ready(&usage("customer_usage_days", "customer_id", "day")),
            requests: ready(&request()),
        }
    }

    /// Statement that writes a whole batch, the `number`th of this writer, with its checkpoint: for
    /// a server, and a batch of counts alone. It is sent outside of any transaction.
    pub(super) fn at_once(&self, batch: &Batch, writer: &str, number: i64) -> Option<Statement> {
        let is_use = batch.requests.is_empty() && batch.statistics.is_empty();
        let fits = is_use && batch.used.len() <= AT_ONCE;
        (fits && self.backend == DbBackend::Postgres).then(|| {
            let mut values = self
                .mark
                .in_columns(mark_values(batch, writer, number).into_iter());
            values.extend(self.uses.in_columns(use_values(batch)));
            Statement::from_sql_and_values(self.backend, &self.marked_use, values)
        })
    }

    /// Statement that writes the checkpoint of a batch, the `number`th of this writer. It runs
    /// first, and affects no row when the batch was written already; on SQLite neither when the
    /// previous checkpoint is missing.
    pub(super) fn mark_of(&self, batch: &Batch, writer: &str, number: i64) -> Vec<Statement> {
        let values = mark_values(batch, writer, number);
        if self.backend == DbBackend::Sqlite && number > 1 {
            let [writer, number_of, at] = values;
            let values = [number_of, at, writer, (number - 1).into()];
            let sql = "UPDATE journal_marks SET batch = ?, at = ? WHERE writer = ? AND batch = ?";
            return vec![Statement::from_sql_and_values(self.backend, sql, values)];
        }
        self.insert(&self.mark, values)
    }

    /// Query for the number of this writer's last checkpoint.
    pub(super) fn last_mark(&self, writer: &str) -> Statement {
        let sql = "SELECT batch FROM journal_marks WHERE writer = ?";
        Statement::from_sql_and_values(self.backend, sql, [writer.into()])
    }

    /// Statements that write a batch, in the order in which they must run: two writers that lock
    /// the rows of the same keys and customers in the same order never deadlock.
    pub(super) fn of(&self, batch: &Batch) -> Vec<Statement> {
        let mut statements = self.insert(&self.uses, use_values(batch));
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
    fn insert(&self, insert: &Ready, values: impl IntoIterator<Item = Value>) -> Vec<Statement> {
        let values: Vec<_> = values.into_iter().collect();
        let width = insert.kinds.len();
        let mut statements = Vec::new();
        match &insert.sql {
            Sql::OfRows(sizes) => {
                let mut values = values.into_iter();
                for (rows, sql) in SIZES.iter().zip(sizes.iter()) {
                    while values.len() >= rows * width {
                        let chunk = values.by_ref().take(rows * width);
                        statements.push(Statement::from_sql_and_values(self.backend, sql, chunk));
                    }
                }
            }
            Sql::OfColumns(sql) => {
                let mut values = values.into_iter().peekable();
                while values.peek().is_some() {
                    let columns = insert.in_columns(values.by_ref().take(AT_ONCE * width));
                    statements.push(Statement::from_sql_and_values(self.backend, sql, columns));
                }
            }
        }
        statements
    }
}

impl Ready {
    /// Values of rows as one array per column.
    fn in_columns(&self, values: impl Iterator<Item = Value>) -> Vec<Value> {
        let mut columns = vec![Vec::new(); self.kinds.len()];
        for (place, value) in values.enumerate() {
            let place = place % columns.len();
            columns[place].push(match value {
                Value::BigInt(None) => NO_NUMBER.into(),
                value => value,
            });
        }
        let array = |(kind, values): (&Kind, Vec<Value>)| {
            let of = match kind {
                Kind::Text => ArrayType::String,
                Kind::Number | Kind::OptionalNumber => ArrayType::BigInt,
            };
            Value::Array(of, Some(Box::new(values)))
        };
        self.kinds.iter().zip(columns).map(array).collect()
    }
}

impl Insert {
    fn ready(&self, backend: DbBackend) -> Ready {
        let sql = match backend {
            DbBackend::Postgres => Sql::OfColumns(self.of_columns(1, "")),
            DbBackend::Sqlite | DbBackend::MySql | _ => {
                Sql::OfRows(Box::new(SIZES.map(|rows| self.of_rows(rows))))
            }
        };
        let kinds = self.columns.iter().map(|(_, kind)| *kind).collect();
        Ready { kinds, sql }
    }

    /// SQL for so many rows, each with its values.
    fn of_rows(&self, rows: usize) -> String {
        // Numbered placeholders are looked up by name: quadratic in their number.
        let row = format!("({})", vec!["?"; self.columns.len()].join(", "));
        self.sql(&format!("VALUES {}", vec![row; rows].join(", ")))
    }

    /// SQL for any number of rows, which come in their order out of one array per column. The
    /// arrays are the parameters from the `first` on; the rows may be filtered.
    fn of_columns(&self, first: usize, filter: &str) -> String {
        let arrays = self
            .columns
            .iter()
            .zip(first..)
            .map(|((_, kind), place)| match kind {
                Kind::Text => format!("${place}::text[]"),
                Kind::Number | Kind::OptionalNumber => format!("${place}::bigint[]"),
            });
        let values = self.columns.iter().map(|(name, kind)| match kind {
            Kind::Text | Kind::Number => name.clone(),
            Kind::OptionalNumber => format!("NULLIF({name}, {NO_NUMBER})"),
        });
        self.sql(&format!(
            "SELECT {} FROM UNNEST({}) AS given ({}){filter}",
            values.collect::<Vec<_>>().join(", "),
            arrays.collect::<Vec<_>>().join(", "),
            self.names(),
        ))
    }

    fn sql(&self, rows: &str) -> String {
        let Self {
            table, on_conflict, ..
        } = self;
        let names = self.names();
        format!("INSERT INTO {table} ({names}) {rows} ON CONFLICT {on_conflict}")
    }

    fn names(&self) -> String {
        let names: Vec<_> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        names.join(", ")
    }
}

fn mark_values(batch: &Batch, writer: &str, number: i64) -> [Value; 3] {
    let newest = batch.newest.map_or(0, |at| at.timestamp_millis());
    [writer.into(), number.into(), newest.into()]
}

/// Values of the counts, in the order of keys and months.
fn use_values(batch: &Batch) -> impl Iterator<Item = Value> {
    let mut used: Vec<_> = batch.used.iter().collect();
    used.sort_unstable_by_key(|(place, _)| **place);
    used.into_iter().flat_map(|((key, month), used)| {
        [
            key.to_string().into(),
            i64::from(month.number()).into(),
            stored(used.count.charged).into(),
            stored(used.count.refunded).into(),
            minute(used.last.timestamp_millis()).into(),
        ]
    })
}

/// Values of a row of use.
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

/// The minute of an instant; both in unix milliseconds.
pub(crate) fn minute(millis: i64) -> i64 {
    millis - millis.rem_euclid(60_000)
}
