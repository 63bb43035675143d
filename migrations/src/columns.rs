//! The two types of columns: text and number.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

/// Column definitions for one kind of database.
#[derive(Clone, Copy)]
pub(crate) struct Columns(pub(crate) DbBackend);

impl Columns {
    pub(crate) fn of(manager: &SchemaManager<'_>) -> Self {
        Self(manager.get_database_backend())
    }

    pub(crate) fn text(self, column: impl IntoIden) -> ColumnDef {
        self.bytewise(ColumnDef::new(column).text().not_null().take())
    }

    pub(crate) fn optional_text(self, column: impl IntoIden) -> ColumnDef {
        self.bytewise(ColumnDef::new(column).text().null().take())
    }

    /// Collation "C", as SQLite's default: text is compared and ordered byte by byte, and only the
    /// case of ASCII letters is folded, whatever the language of the database. It is faster, too,
    /// and an update of the machine's locale data can't corrupt an index.
    fn bytewise(self, mut column: ColumnDef) -> ColumnDef {
        if self.0 == DbBackend::Postgres {
            column.extra("COLLATE \"C\"");
        }
        column
    }
}

pub(crate) fn number(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).big_integer().not_null().take()
}

pub(crate) fn optional_number(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).big_integer().null().take()
}
