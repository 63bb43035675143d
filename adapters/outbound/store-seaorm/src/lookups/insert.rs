//! Inserts of many lookups.

use std::sync::LazyLock;

use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DatabaseTransaction, DbBackend, DbErr,
    IdenStatic, Iterable, sea_query,
};

use crate::entity::lookups::{ActiveModel, Column};
use crate::insert::{ColumnType, Insert, PreparedInsert};

static OF_SQLITE: LazyLock<PreparedInsert> = LazyLock::new(|| insert().prepare(DbBackend::Sqlite));
static OF_POSTGRES: LazyLock<PreparedInsert> =
    LazyLock::new(|| insert().prepare(DbBackend::Postgres));

/// Insert that skips lookups whose row has one already.
fn insert() -> Insert {
    let columns = Column::iter().map(|column| (column.as_str().to_owned(), kind(column)));
    Insert {
        table: "lookups",
        columns: columns.collect(),
        on_conflict: "(batch_id, batch_row) WHERE batch_id IS NOT NULL DO NOTHING".to_owned(),
    }
}

fn kind(column: Column) -> ColumnType {
    let definition = column.def();
    match (definition.get_column_type(), definition.is_null()) {
        (sea_query::ColumnType::BigInteger, false) => ColumnType::Number,
        (sea_query::ColumnType::BigInteger, true) => ColumnType::OptionalNumber,
        (sea_query::ColumnType::String(_), false) => ColumnType::Text,
        (sea_query::ColumnType::String(_), true) => ColumnType::OptionalText,
        (_, false) => ColumnType::Bytes,
        (_, true) => ColumnType::OptionalBytes,
    }
}

/// Inserts lookups of rows; returns the number of those that were inserted.
pub(crate) async fn rows(
    transaction: &DatabaseTransaction,
    lookups: Vec<ActiveModel>,
) -> Result<u64, DbErr> {
    let prepared = match transaction.get_database_backend() {
        DbBackend::Postgres => &OF_POSTGRES,
        _ => &OF_SQLITE,
    };
    let values = lookups.into_iter().flat_map(|lookup| {
        let value = move |column| lookup.get(column).into_value();
        Column::iter().filter_map(value)
    });
    let mut inserted = 0;
    for statement in prepared.statements(values) {
        inserted += transaction.execute_raw(statement).await?.rows_affected();
    }
    Ok(inserted)
}
