//! The verdict on the seal of the proof that a request was answered with.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::Columns;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0011_request_seals"
    }
}

#[derive(DeriveIden)]
enum Requests {
    Table,
    Seal,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// NULL is a request that delivered no proof, and every request of an older version, also one
    /// that it adds while this schema is already in use.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut column = Columns::of(manager).optional_text(Requests::Seal);
        let table = Table::alter()
            .table(Requests::Table)
            .add_column(&mut column)
            .take();
        manager.alter_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::alter()
            .table(Requests::Table)
            .drop_column(Requests::Seal)
            .take();
        manager.alter_table(table).await
    }
}
