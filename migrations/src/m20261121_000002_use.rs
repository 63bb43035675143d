//! What was used: counters of months, requests, and the marks of the journal.
//!
//! No foreign keys: a count of a key that was removed must not hold up everybody else's.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let monthly = Table::create()
            .table(MonthlyUse::Table)
            .if_not_exists()
            .col(ColumnDef::new(MonthlyUse::KeyId).text().not_null())
            .col(ColumnDef::new(MonthlyUse::Month).integer().not_null())
            .col(ColumnDef::new(MonthlyUse::Charged).big_integer().not_null())
            .col(
                ColumnDef::new(MonthlyUse::Refunded)
                    .big_integer()
                    .not_null(),
            )
            .primary_key(
                Index::create()
                    .col(MonthlyUse::KeyId)
                    .col(MonthlyUse::Month),
            )
            .to_owned();
        manager.create_table(monthly).await?;
        let requests = Table::create()
            .table(Requests::Table)
            .if_not_exists()
            .col(ColumnDef::new(Requests::Id).text().not_null().primary_key())
            .col(ColumnDef::new(Requests::RequestId).text().not_null())
            .col(ColumnDef::new(Requests::KeyId).text().not_null())
            .col(ColumnDef::new(Requests::Endpoint).text().not_null())
            .col(ColumnDef::new(Requests::Outcome).text().not_null())
            .col(ColumnDef::new(Requests::Issuer).integer().null())
            .col(ColumnDef::new(Requests::Receiver).integer().null())
            .col(ColumnDef::new(Requests::At).big_integer().not_null())
            .col(
                ColumnDef::new(Requests::DurationUs)
                    .big_integer()
                    .not_null(),
            )
            .col(ColumnDef::new(Requests::BankUs).big_integer().null())
            .to_owned();
        manager.create_table(requests).await?;
        let by_time = Index::create()
            .name("requests_at")
            .table(Requests::Table)
            .col(Requests::At)
            .to_owned();
        manager.create_index(by_time).await?;
        let marks = Table::create()
            .table(JournalMarks::Table)
            .if_not_exists()
            .col(
                ColumnDef::new(JournalMarks::Writer)
                    .text()
                    .not_null()
                    .primary_key(),
            )
            .col(ColumnDef::new(JournalMarks::Batch).big_integer().not_null())
            .col(ColumnDef::new(JournalMarks::At).big_integer().not_null())
            .to_owned();
        manager.create_table(marks).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .drop_table(Table::drop().table(JournalMarks::Table).to_owned())
            .await?;
        manager
            .drop_table(Table::drop().table(Requests::Table).to_owned())
            .await?;
        manager
            .drop_table(Table::drop().table(MonthlyUse::Table).to_owned())
            .await
    }
}

#[derive(DeriveIden)]
enum MonthlyUse {
    Table,
    KeyId,
    Month,
    Charged,
    Refunded,
}

#[derive(DeriveIden)]
enum Requests {
    Table,
    Id,
    RequestId,
    KeyId,
    Endpoint,
    Outcome,
    Issuer,
    Receiver,
    At,
    DurationUs,
    BankUs,
}

#[derive(DeriveIden)]
enum JournalMarks {
    Table,
    Writer,
    Batch,
    At,
}
