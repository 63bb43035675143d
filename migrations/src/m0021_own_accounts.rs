//! The accounts that customers receive transfers on.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::{Columns, number};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0021_own_accounts"
    }
}

#[derive(DeriveIden)]
enum OwnAccounts {
    Table,
    CustomerId,
    Revision,
    Generation,
    Content,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// A row for each customer; `content` is encrypted.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = Columns::of(manager);
        let table = Table::create()
            .table(OwnAccounts::Table)
            .col(columns.text(OwnAccounts::CustomerId).primary_key())
            .col(number(OwnAccounts::Revision))
            .col(number(OwnAccounts::Generation))
            .col(ColumnDef::new(OwnAccounts::Content).blob().not_null())
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::drop().table(OwnAccounts::Table).to_owned();
        manager.drop_table(table).await
    }
}
