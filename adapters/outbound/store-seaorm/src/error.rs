//! Failures of the database, as the ports report them.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use ports::outbound::StoreError;
use sea_orm::DbErr;

/// A row that this program can't have written.
#[derive(Debug, thiserror::Error)]
#[error("a row of {table} can't be read: {problem}")]
struct Unreadable {
    table: &'static str,
    problem: String,
}

#[derive(Debug, thiserror::Error)]
#[error("the database doesn't answer within {0:?}")]
pub(crate) struct AnswerTimeout(pub(crate) Duration);

pub(crate) fn failed(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError {
        cause: Arc::new(error),
    }
}

/// The error of a value that this program can't have written.
pub(crate) fn unreadable(table: &'static str, column: &str, id: impl Display) -> StoreError {
    of_table(table)(nonsense(column, Some(id)))
}

/// The same while a row is read, by which it isn't known of which table it is.
pub(crate) fn nonsense(column: &str, id: Option<impl Display>) -> DbErr {
    let of = id.map_or_else(String::new, |id| format!("; it is that of {id}"));
    DbErr::Type(format!("{column} makes no sense{of}"))
}

/// Converts the error of reading rows of a table.
pub(crate) fn of_table(table: &'static str) -> impl Fn(DbErr) -> StoreError {
    move |error| match error {
        DbErr::Type(problem) => failed(Unreadable { table, problem }),
        error => failed(error),
    }
}
