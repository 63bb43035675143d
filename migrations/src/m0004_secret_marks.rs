//! Fingerprints of the secrets that keys were hashed with.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::{Columns, number};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0004_secret_marks"
    }
}

#[derive(DeriveIden)]
enum SecretMarks {
    Table,
    Generation,
    Mark,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = Columns::of(manager);
        let table = Table::create()
            .table(SecretMarks::Table)
            .col(number(SecretMarks::Generation).primary_key())
            .col(columns.text(SecretMarks::Mark))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::drop().table(SecretMarks::Table).to_owned();
        manager.drop_table(table).await
    }
}
