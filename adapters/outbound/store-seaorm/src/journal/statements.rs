//! The statements that write a batch: their tables, their values, and their order.

use sea_orm::{DbBackend, Statement, Value};

use super::batch::Batch;
use super::statistics::{Increase, RowKey, Statistics};
use crate::insert::{ColumnType, Insert, PreparedInsert, ROWS_PER_STATEMENT, columns};
use crate::proofs::deliveries;
use crate::stored::{Storable, Stored};
use crate::usage::monthly::{self, Use};
use crate::usage::slots::counts;

/// Insert of a batch's checkpoint, which does nothing if it exists. Of two attempts at one batch,
/// the second waits here for the first, which may still be executing, and then counts nothing
/// again.
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
            ("seal", ColumnType::OptionalText),
        ]),
        on_conflict: "(id) DO NOTHING".to_owned(),
    }
}

/// Insert that adds to rows of usage; `whose` and `slot` name the columns that identify them.
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

/// PostgreSQL: writes a batch's checkpoint and its counts in one statement, without an explicit
/// transaction. It counts only if the checkpoint is new, as the two separate statements do.
fn checkpointed_use() -> String {
    let (checkpoint, uses) = (checkpoint(), monthly::insert());
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
    deliveries: PreparedInsert,
}

impl Statements {
    pub(super) fn new(backend: DbBackend) -> Self {
        let prepare = |insert: &Insert| insert.prepare(backend);
        Self {
            backend,
            checkpoint: prepare(&checkpoint()),
            uses: prepare(&monthly::insert()),
            checkpointed_use: checkpointed_use(),
            hours: prepare(&usage("usage_hours", "key_id", "hour")),
            days: prepare(&usage("customer_usage_days", "customer_id", "day")),
            requests: prepare(&request()),
            deliveries: prepare(&deliveries::insert()),
        }
    }

    /// Statement that writes a whole batch, the `number`th of this writer, with its checkpoint,
    /// outside of any transaction. `Some` only on PostgreSQL, and for a batch of nothing but
    /// counts.
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
    /// first, and affects no row when the batch was written already, or, on SQLite, when the
    /// previous checkpoint is missing.
    pub(super) fn checkpoint_of(&self, batch: &Batch, writer: &str, number: i64) -> Vec<Statement> {
        let values = checkpoint_values(batch, writer, number);
        if self.backend == DbBackend::Sqlite && number > 1 {
            let [writer, number_of, at] = values;
            let values = [number_of, at, writer, (number - 1).into()];
            let sql = "UPDATE journal_marks SET batch = ?, at = ? WHERE writer = ? AND batch = ?";
            return vec![Statement::from_sql_and_values(self.backend, sql, values)];
        }
        self.checkpoint.statements(values)
    }

    /// Query for the number of this writer's last checkpoint.
    pub(super) fn last_checkpoint(&self, writer: &str) -> Statement {
        let sql = "SELECT batch FROM journal_marks WHERE writer = ?";
        Statement::from_sql_and_values(self.backend, sql, [writer.into()])
    }

    /// Statements that write a batch, in the order in which they must run: two writers that lock
    /// the rows of the same keys and customers in the same order never deadlock.
    pub(super) fn of(&self, batch: &Batch) -> Vec<Statement> {
        let mut statements = self.uses.statements(use_values(batch));
        let statistics = Statistics::of(&batch.statistics);
        let hours = statistics.hours().into_iter();
        let hours = hours.flat_map(|(place, increase)| usage_row(place, increase));
        statements.extend(self.hours.statements(hours));
        let days = statistics.days().into_iter();
        let days = days.flat_map(|(place, increase)| usage_row(place, increase));
        statements.extend(self.days.statements(days));
        let requests = batch.requests.iter().flat_map(|request| {
            [
                Stored(request.id).into(),
                Stored(request.request_id.clone()).into(),
                Stored(request.customer).into(),
                Stored(request.key).into(),
                Stored(request.endpoint).into(),
                Stored(request.outcome).into(),
                request.banks.map(|banks| Stored(banks.issuer)).into(),
                request.banks.map(|banks| Stored(banks.receiver)).into(),
                Stored(request.at).into(),
                Stored(request.duration).into(),
                request.bank_time.map(Stored).into(),
                request.seal.map(Stored).into(),
            ]
        });
        statements.extend(self.requests.statements(requests));
        let delivered = deliveries::values(&batch.requests);
        statements.extend(self.deliveries.statements(delivered));
        statements
    }
}

fn checkpoint_values(batch: &Batch, writer: &str, number: i64) -> [Value; 3] {
    let newest = batch.newest.map_or(0, |at| at.timestamp_millis());
    [writer.into(), number.into(), newest.into()]
}

/// Values of the counts, ordered by key and month.
fn use_values(batch: &Batch) -> impl Iterator<Item = Value> {
    let mut used: Vec<_> = batch.used.iter().collect();
    used.sort_unstable_by_key(|(place, _)| **place);
    used.into_iter().flat_map(|((key, month), used)| {
        let used = Use {
            key: *key,
            month: *month,
            charged: used.count.charged,
            refunded: used.count.refunded,
            last_used_at: Some(used.last),
        };
        used.values()
    })
}

/// Values of a row of use.
fn usage_row<Owner: Storable + Copy>(
    (whose, slot, endpoint, outcome): &RowKey<Owner>,
    increase: &Increase,
) -> impl Iterator<Item = Value> + use<Owner> {
    let place = [
        Stored(*whose).into(),
        (*slot).into(),
        Stored(*endpoint).into(),
        Stored(*outcome).into(),
        Stored(increase.requests).into(),
    ];
    let latencies = increase.latencies.counts();
    place
        .into_iter()
        .chain(latencies.into_iter().map(|count| Stored(count).into()))
}
