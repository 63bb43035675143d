//! The time up to which erasure has come: the clock of the next process may be wrong.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::number;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0020_erasure_time"
    }
}

#[derive(DeriveIden)]
enum ErasureTime {
    Table,
    Id,
    At,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// One row, whose id is 1; the time in milliseconds.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table(ErasureTime::Table)
            .col(number(ErasureTime::Id).primary_key())
            .col(number(ErasureTime::At))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::drop().table(ErasureTime::Table).to_owned();
        manager.drop_table(table).await
    }
}
