//! Helpers of the tests.

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};

pub(crate) use crate::both::entries::*;

/// The number that a query returns.
pub(crate) async fn number(connection: &DatabaseConnection, sql: &str) -> i64 {
    let query = Statement::from_string(DbBackend::Postgres, sql);
    let row = connection.query_one_raw(query).await.unwrap();
    row.unwrap().try_get_by_index(0).unwrap()
}
