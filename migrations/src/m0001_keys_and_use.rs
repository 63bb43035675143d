//! Keys, the feed of their changes, their use, and the requests.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::{Columns, number, optional_number};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0001_keys_and_use"
    }
}

#[derive(DeriveIden)]
enum ApiKeys {
    Table,
    Id,
    OwnerIssuer,
    OwnerSubject,
    Name,
    Prefix,
    Environment,
    Hash,
    HashGeneration,
    PerMinute,
    MonthlyQuota,
    CreatedAt,
    RevokedAt,
    Version,
}

#[derive(DeriveIden)]
enum KeyChanges {
    Table,
    Number,
    KeyId,
}

#[derive(DeriveIden)]
enum NewestKeyChange {
    Table,
    Id,
    Number,
}

#[derive(DeriveIden)]
enum MonthlyUse {
    Table,
    KeyId,
    Month,
    Charged,
    Refunded,
    LastUsedAt,
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
    DurationMs,
    BankMs,
}

#[derive(DeriveIden)]
enum JournalMarks {
    Table,
    Writer,
    Batch,
    At,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = Columns::of(manager);
        manager.create_table(api_keys(columns)).await?;
        manager.create_table(key_changes(columns)).await?;
        manager.create_table(newest_key_change()).await?;
        manager.exec_stmt(no_change_yet()).await?;
        manager.create_table(monthly_use(columns)).await?;
        manager.create_table(requests(columns)).await?;
        manager.create_index(requests_of_a_key()).await?;
        manager.create_index(requests_by_time()).await?;
        manager.create_table(journal_marks(columns)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [
            JournalMarks::Table.into_iden(),
            Requests::Table.into_iden(),
            MonthlyUse::Table.into_iden(),
            NewestKeyChange::Table.into_iden(),
            KeyChanges::Table.into_iden(),
            ApiKeys::Table.into_iden(),
        ] {
            manager
                .drop_table(Table::drop().table(table).take())
                .await?;
        }
        Ok(())
    }
}

fn api_keys(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(ApiKeys::Table)
        .col(columns.text(ApiKeys::Id).primary_key())
        .col(columns.text(ApiKeys::OwnerIssuer))
        .col(columns.text(ApiKeys::OwnerSubject))
        .col(columns.text(ApiKeys::Name))
        .col(columns.text(ApiKeys::Prefix).unique_key())
        .col(columns.text(ApiKeys::Environment))
        .col(columns.text(ApiKeys::Hash))
        .col(number(ApiKeys::HashGeneration))
        .col(number(ApiKeys::PerMinute))
        .col(optional_number(ApiKeys::MonthlyQuota))
        .col(number(ApiKeys::CreatedAt))
        .col(optional_number(ApiKeys::RevokedAt))
        .col(number(ApiKeys::Version))
        .take()
}

fn key_changes(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(KeyChanges::Table)
        .col(number(KeyChanges::Number).primary_key())
        .col(columns.text(KeyChanges::KeyId))
        .foreign_key(
            ForeignKey::create()
                .from(KeyChanges::Table, KeyChanges::KeyId)
                .to(ApiKeys::Table, ApiKeys::Id),
        )
        .take()
}

/// One row. A writer of a change takes its number here and holds the row until the commit, so
/// changes become visible in the order of their numbers; a sequence doesn't promise that.
fn newest_key_change() -> TableCreateStatement {
    Table::create()
        .table(NewestKeyChange::Table)
        .col(number(NewestKeyChange::Id).primary_key())
        .col(number(NewestKeyChange::Number))
        .take()
}

fn no_change_yet() -> InsertStatement {
    Query::insert()
        .into_table(NewestKeyChange::Table)
        .columns([NewestKeyChange::Id, NewestKeyChange::Number])
        .values_panic([1_i64.into(), 0_i64.into()])
        .take()
}

/// No foreign key: a count of a key that doesn't exist (any more) must not fail the others in its
/// commit. The last use is stored here because this row is written anyway.
fn monthly_use(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(MonthlyUse::Table)
        .col(columns.text(MonthlyUse::KeyId))
        .col(number(MonthlyUse::Month))
        .col(number(MonthlyUse::Charged))
        .col(number(MonthlyUse::Refunded))
        .col(number(MonthlyUse::LastUsedAt))
        .primary_key(
            Index::create()
                .col(MonthlyUse::KeyId)
                .col(MonthlyUse::Month),
        )
        .take()
}

fn requests(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(Requests::Table)
        .col(columns.text(Requests::Id).primary_key())
        .col(columns.text(Requests::RequestId))
        .col(columns.text(Requests::KeyId))
        .col(columns.text(Requests::Endpoint))
        .col(columns.text(Requests::Outcome))
        .col(optional_number(Requests::Issuer))
        .col(optional_number(Requests::Receiver))
        .col(number(Requests::At))
        .col(number(Requests::DurationMs))
        .col(optional_number(Requests::BankMs))
        .take()
}

fn requests_of_a_key() -> IndexCreateStatement {
    Index::create()
        .name("requests_of_a_key")
        .table(Requests::Table)
        .col(Requests::KeyId)
        .col(Requests::At)
        .take()
}

fn requests_by_time() -> IndexCreateStatement {
    Index::create()
        .name("requests_by_time")
        .table(Requests::Table)
        .col(Requests::At)
        .take()
}

/// Checkpoints of journal writers: the last batch that each writer committed, one row per writer.
fn journal_marks(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(JournalMarks::Table)
        .col(columns.text(JournalMarks::Writer).primary_key())
        .col(number(JournalMarks::Batch))
        .col(number(JournalMarks::At))
        .take()
}
