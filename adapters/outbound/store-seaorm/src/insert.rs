//! Inserts of many rows. Raw SQL, because building it anew for every batch would cost more than
//! running it.
//!
//! SQLite gets a few fixed sizes: a connection prepares each of them once, and many rows share the
//! cost of a call. PostgreSQL gets one statement per table, with arrays as parameters: a batch
//! locks its rows while it is written, so the fewer answers it waits for, the sooner another
//! process can lock them.

use sea_orm::sea_query::ArrayType;
use sea_orm::{DbBackend, Statement, Value};

/// Rows per statement on SQLite: powers of two, because each statement costs a switch to another
/// thread and back, about 10 µs. The largest binds 6,144 values; SQLite allows 32,766.
const ROWS_PER_INSERT: [usize; 9] = [256, 128, 64, 32, 16, 8, 4, 2, 1];
/// Maximum number of rows per statement on PostgreSQL: about a second's work.
pub(crate) const ROWS_PER_STATEMENT: usize = 10_000;
/// Stands for NULL in an array of numbers. No stored number is negative.
const NO_NUMBER: i64 = -1;
/// Stands for NULL in an array of texts or bytes. No stored optional value is empty.
const NO_TEXT: &str = "";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Text,
    OptionalText,
    Number,
    OptionalNumber,
    Bytes,
    OptionalBytes,
}

/// An insert with its conflict clause.
pub(crate) struct Insert {
    pub(crate) table: &'static str,
    pub(crate) columns: Vec<(String, ColumnType)>,
    pub(crate) on_conflict: String,
}

pub(crate) fn columns(columns: &[(&str, ColumnType)]) -> Vec<(String, ColumnType)> {
    let owned = |(name, kind): &(&str, ColumnType)| ((*name).to_owned(), *kind);
    columns.iter().map(owned).collect()
}

/// An insert as SQL for one kind of database.
#[derive(Debug)]
pub(crate) struct PreparedInsert {
    backend: DbBackend,
    types: Vec<ColumnType>,
    sql: Sql,
}

#[derive(Debug)]
enum Sql {
    /// One text per size, the largest first.
    OfRows(Box<[String; ROWS_PER_INSERT.len()]>),
    OfColumns(String),
}

impl PreparedInsert {
    /// The statements that insert rows, given value by value.
    pub(crate) fn statements(&self, values: impl IntoIterator<Item = Value>) -> Vec<Statement> {
        let values: Vec<_> = values.into_iter().collect();
        let width = self.types.len();
        let mut statements = Vec::new();
        match &self.sql {
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
                    let columns = self.in_columns(values.by_ref().take(ROWS_PER_STATEMENT * width));
                    statements.push(Statement::from_sql_and_values(self.backend, sql, columns));
                }
            }
        }
        statements
    }

    /// Groups the values of rows into one array per column.
    pub(crate) fn in_columns(&self, values: impl Iterator<Item = Value>) -> Vec<Value> {
        let mut columns = vec![Vec::new(); self.types.len()];
        for (place, value) in values.enumerate() {
            let place = place % columns.len();
            columns[place].push(match value {
                Value::BigInt(None) => NO_NUMBER.into(),
                Value::String(None) => NO_TEXT.into(),
                Value::Bytes(None) => Vec::<u8>::new().into(),
                value => value,
            });
        }
        let array = |(kind, values): (&ColumnType, Vec<Value>)| {
            let of = match kind {
                ColumnType::Text | ColumnType::OptionalText => ArrayType::String,
                ColumnType::Number | ColumnType::OptionalNumber => ArrayType::BigInt,
                ColumnType::Bytes | ColumnType::OptionalBytes => ArrayType::Bytes,
            };
            Value::Array(of, Some(Box::new(values)))
        };
        self.types.iter().zip(columns).map(array).collect()
    }
}

impl Insert {
    pub(crate) fn prepare(&self, backend: DbBackend) -> PreparedInsert {
        let sql = match backend {
            DbBackend::Postgres => Sql::OfColumns(self.of_columns(1, "")),
            DbBackend::Sqlite | DbBackend::MySql | _ => {
                Sql::OfRows(Box::new(ROWS_PER_INSERT.map(|rows| self.of_rows(rows))))
            }
        };
        let types = self.columns.iter().map(|(_, kind)| *kind).collect();
        PreparedInsert {
            backend,
            types,
            sql,
        }
    }

    /// SQL that inserts this number of rows.
    fn of_rows(&self, rows: usize) -> String {
        // Placeholders without numbers: numbered ones are looked up by name, quadratic in their
        // number.
        let row = format!("({})", vec!["?"; self.columns.len()].join(", "));
        self.sql(&format!("VALUES {}", vec![row; rows].join(", ")))
    }

    /// SQL that inserts any number of rows from one array parameter per column, in order. The
    /// arrays are the parameters from number `first` on; `filter` may exclude rows.
    pub(crate) fn of_columns(&self, first: usize, filter: &str) -> String {
        let arrays = self
            .columns
            .iter()
            .zip(first..)
            .map(|((_, kind), place)| match kind {
                ColumnType::Text | ColumnType::OptionalText => format!("${place}::text[]"),
                ColumnType::Number | ColumnType::OptionalNumber => format!("${place}::bigint[]"),
                ColumnType::Bytes | ColumnType::OptionalBytes => format!("${place}::bytea[]"),
            });
        let values = self.columns.iter().map(|(name, kind)| match kind {
            ColumnType::Text | ColumnType::Number | ColumnType::Bytes => name.clone(),
            ColumnType::OptionalText | ColumnType::OptionalBytes => {
                format!("NULLIF({name}, '{NO_TEXT}')")
            }
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
