//! Times until which every token of the identity provider was denied.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::number;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0019_session_ends"
    }
}

#[derive(DeriveIden)]
enum SessionEnds {
    Table,
    At,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// A row for each time (milliseconds); the latest one counts.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table(SessionEnds::Table)
            .col(number(SessionEnds::At).primary_key())
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::drop().table(SessionEnds::Table).to_owned();
        manager.drop_table(table).await
    }
}
