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
use super::statistics::{Increase, RowKey, Statistics};
use crate::row::stored;
use crate::usage::counts;

/// Rows of one statement for SQLite: powers of two, because each statement is a switch to another
/// thread and back, about 10 µs. The largest binds 5,376 values; SQLite takes 32,766.
const ROWS_PER_INSERT: [usize; 9] = [256, 128, 64, 32, 16, 8, 4, 2, 1];
/// Rows of one statement for PostgreSQL, at most: about a second's work.
const ROWS_PER_STATEMENT: usize = 10_000;
/// Encodes NULL in an array, which can't have any here. Nothing that is stored is negative.
const NO_NUMBER: i64 = -1;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnType {
    Text,
    Number,
    OptionalNumber,
}

/// An insert with its conflict clause.
struct Insert {
    table: &'static str,
    columns: Vec<(String, ColumnType)>,
    on_conflict: String,
}

/// Checkpoint of a batch. It changes nothing when the batch was written: of two attempts at one
/// batch, of which the first may still be executing, the second waits for it here and counts
/// nothing again.
fn checkpoint() -> Insert {
    Insert {
        table: "journal_marks",
        columns: columns(&[
            ("writer", ColumnType::Text),
            ("batch", ColumnType::Number),
            ("at", ColumnType::Number),
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
            ("key_id", ColumnType::Text),
            ("month", ColumnType::Number),
            ("charged", ColumnType::Number),
            ("refunded", ColumnType::Number),
            ("last_used_at", ColumnType::Number),
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
            ("id", ColumnType::Text),
            ("request_id", ColumnType::Text),
            ("customer_id", ColumnType::Text),
            ("key_id", ColumnType::Text),
            ("endpoint", ColumnType::Text),
            ("outcome", ColumnType::Text),
            ("issuer", ColumnType::OptionalNumber),
            ("receiver", ColumnType::OptionalNumber),
            ("at", ColumnType::Number),
            ("duration_ms", ColumnType::Number),
            ("bank_ms", ColumnType::OptionalNumber),
        ]),
        on_conflict: "(id) DO NOTHING".to_owned(),
    }
}

/// Adds to rows of use, identified by `whose` and `slot`.
fn usage(table: &'static str, whose: &str, slot: &str) -> Insert {
    let sum = |column: &String| format!("{column} = {table}.{column} + excluded.{column}");
    let sums: Vec<_> = counts().map(|column| sum(&column)).collect();
    let mut columns = columns(&[
        (whose, ColumnType::Text),
        (slot, ColumnType::Number),
        ("endpoint", ColumnType::Text),
        ("outcome", ColumnType::Text),
    ]);
    columns.extend(counts().map(|column| (column, ColumnType::Number)));
    Insert {
        table,
        columns,
        on_conflict: format!(
            "({whose}, {slot}, endpoint, outcome) DO UPDATE SET {}",
            sums.join(", ")
        ),
    }
}

fn columns(columns: &[(&str, ColumnType)]) -> Vec<(String, ColumnType)> {
    let owned = |(name, kind): &(&str, ColumnType)| ((*name).to_owned(), *kind);
    columns.iter().map(owned).collect()
}

/// An insert as SQL for one kind of database.
#[derive(Debug)]
struct PreparedInsert {
    types: Vec<ColumnType>,
    sql: Sql,
}

#[derive(Debug)]
enum Sql {
    /// One text per size, the largest first.
    OfRows(Box<[String; ROWS_PER_INSERT.len()]>),
    OfColumns(String),
}

/// For PostgreSQL: writes the checkpoint of a batch and its counts, in one statement that is its
/// own transaction. It counts only if the checkpoint is new, as with the two it is made of.
fn checkpointed_use() -> String {
    let (checkpoint, uses) = (checkpoint(), monthly_use());
    let filter = " WHERE EXISTS (SELECT FROM marked)";
    format!(
        "WITH marked AS ({} RETURNING writer) {}",
        checkpoint.of_columns(1, ""),
        uses.of_columns(1 + checkpoint.columns.len(), filter)
    )
}

/// The statements for one kind of database.
#[derive(Debug)]
pub(super) struct Statements {
    backend: DbBackend,
    checkpoint: PreparedInsert,
    uses: PreparedInsert,
    /// Checkpoint and counts in one statement, for PostgreSQL.
    checkpointed_use: String,
    hours: PreparedInsert,
    days: PreparedInsert,
    requests: PreparedInsert,
}

impl Statements {
    pub(super) fn new(backend: DbBackend) -> Self {
        let ready = |insert: &Insert| insert.ready(backend);
        Self {
            backend,
            checkpoint: ready(&checkpoint()),
            uses: ready(&monthly_use()),
            checkpointed_use: checkpointed_use(),
            hours: ready(&usage("usage_hours", "key_id", "hour")),
            days: ready(&usage("customer_usage_days", "customer_id", "day")),
            requests: ready(&request()),
        }
    }

    /// Statement that writes a whole batch, the `number`th of this writer, with its checkpoint: for
    /// a server, and a batch of counts alone. It is sent outside of any transaction.
    pub(super) fn at_once(&self, batch: &Batch, writer: &str, number: i64) -> Option<Statement> {
        let is_use = batch.requests.is_empty() && batch.statistics.is_empty();
        let fits = is_use && batch.used.len() <= ROWS_PER_STATEMENT;
        (fits && self.backend == DbBackend::Postgres).then(|| {
            let mut values = self
                .checkpoint
                .in_columns(checkpoint_values(batch, writer, number).into_iter());
            values.extend(self.uses.in_columns(use_values(batch)));
            Statement::from_sql_and_values(self.backend, &self.checkpointed_use, values)
        })
    }

    /// Statement that writes the checkpoint of a batch, the `number`th of this writer. It runs
    /// first, and affects no row when the batch was written already; on SQLite neither when the
    /// previous checkpoint is missing.
    pub(super) fn checkpoint_of(&self, batch: &Batch, writer: &str, number: i64) -> Vec<Statement> {
        let values = checkpoint_values(batch, writer, number);
        if self.backend == DbBackend::Sqlite && number > 1 {
            let [writer, number_of, at] = values;
            let values = [number_of, at, writer, (number - 1).into()];
            let sql = "UPDATE journal_marks SET batch = ?, at = ? WHERE writer = ? AND batch = ?";
            return vec![Statement::from_sql_and_values(self.backend, sql, values)];
        }
        self.insert(&self.checkpoint, values)
    }

    /// Query for the number of this writer's last checkpoint.
    pub(super) fn last_checkpoint(&self, writer: &str) -> Statement {
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
    fn insert(
        &self,
        insert: &PreparedInsert,
        values: impl IntoIterator<Item = Value>,
    ) -> Vec<Statement> {
        let values: Vec<_> = values.into_iter().collect();
        let width = insert.types.len();
        let mut statements = Vec::new();
        match &insert.sql {
            Sql::OfRows(sizes) => {
                let mut values = values.into_iter();
                for (rows, sql) in ROWS_PER_INSERT.iter().zip(sizes.iter()) {
                    while values.len() >= rows * width {
                        let chunk = values.by_ref().take(rows * width);
                        statements.push(Statement::from_sql_and_values(self.backend, sql, chunk));
                    }
                }
            }
            Sql::OfColumns(sql) => {
                let mut values = values.into_iter().peekable();
                while values.peek().is_some() {
                    let columns =
                        insert.in_columns(values.by_ref().take(ROWS_PER_STATEMENT * width));
                    statements.push(Statement::from_sql_and_values(self.backend, sql, columns));
                }
            }
        }
        statements
    }
}

impl PreparedInsert {
    /// Values of rows as one array per column.
    fn in_columns(&self, values: impl Iterator<Item = Value>) -> Vec<Value> {
        let mut columns = vec![Vec::new(); self.types.len()];
        for (place, value) in values.enumerate() {
            let place = place % columns.len();
            columns[place].push(match value {
                Value::BigInt(None) => NO_NUMBER.into(),
                value => value,
            });
        }
        let array = |(kind, values): (&ColumnType, Vec<Value>)| {
            let of = match kind {
                ColumnType::Text => ArrayType::String,
                ColumnType::Number | ColumnType::OptionalNumber => ArrayType::BigInt,
            };
            Value::Array(of, Some(Box::new(values)))
        };
        self.types.iter().zip(columns).map(array).collect()
    }
}

impl Insert {
    fn ready(&self, backend: DbBackend) -> PreparedInsert {
        let sql = match backend {
            DbBackend::Postgres => Sql::OfColumns(self.of_columns(1, "")),
            DbBackend::Sqlite | DbBackend::MySql | _ => {
                Sql::OfRows(Box::new(ROWS_PER_INSERT.map(|rows| self.of_rows(rows))))
            }
        };
        let types = self.columns.iter().map(|(_, kind)| *kind).collect();
        PreparedInsert { types, sql }
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
                ColumnType::Text => format!("${place}::text[]"),
                ColumnType::Number | ColumnType::OptionalNumber => format!("${place}::bigint[]"),
            });
        let values = self.columns.iter().map(|(name, kind)| match kind {
            ColumnType::Text | ColumnType::Number => name.clone(),
            ColumnType::OptionalNumber => format!("NULLIF({name}, {NO_NUMBER})"),
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

fn checkpoint_values(batch: &Batch, writer: &str, number: i64) -> [Value; 3] {
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
fn usage_row<Owner: ToString>(
    (whose, slot, endpoint, outcome): &RowKey<Owner>,
    increase: &Increase,
) -> impl Iterator<Item = Value> + use<Owner> {
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
