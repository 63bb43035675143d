//! The two types of columns that there are.

use sea_orm_migration::prelude::*;

pub(crate) fn text(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).text().not_null().take()
}

pub(crate) fn optional_text(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).text().null().take()
}

pub(crate) fn number(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).big_integer().not_null().take()
}

pub(crate) fn optional_number(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).big_integer().null().take()
}
