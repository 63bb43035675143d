//! Stored lookups, their attempts, and the turns of customers.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::columns::{Columns, number, optional_number};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0013_lookups"
    }
}

#[derive(Clone, Copy, DeriveIden)]
enum Lookups {
    Table,
    Id,
    CustomerId,
    KeyId,
    CountersId,
    Environment,
    Class,
    NextClass,
    RequestId,
    Month,
    State,
    CreatedAt,
    UpdatedAt,
    RetryUntil,
    DueAt,
    LeaseToken,
    Attempts,
    LastAt,
    LastOutcome,
    EndedAt,
    Generation,
    Question,
    Proof,
}

#[derive(DeriveIden)]
enum LookupAttempts {
    Table,
    LookupId,
    Number,
    At,
    Outcome,
}

#[derive(DeriveIden)]
enum LookupTurns {
    Table,
    CustomerId,
    Turn,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = Columns::of(manager);
        manager.create_table(lookups(columns)).await?;
        for index in indexes() {
            manager.create_index(index).await?;
        }
        manager.create_table(attempts(columns)).await?;
        manager.create_table(turns(columns)).await?;
        let by_turn = Index::create()
            .name("lookup_turns_by_turn")
            .table(LookupTurns::Table)
            .col(LookupTurns::Turn)
            .take();
        manager.create_index(by_turn).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [
            LookupTurns::Table.into_iden(),
            LookupAttempts::Table.into_iden(),
            Lookups::Table.into_iden(),
        ] {
            manager
                .drop_table(Table::drop().table(table).take())
                .await?;
        }
        Ok(())
    }
}

/// `class` is that of the first attempt, `next_class` that of the next one. `due_at` is NULL, and
/// `ended_at` isn't, once a lookup is final. `question` and `proof` are encrypted.
///
/// No foreign keys to customers and keys, as in the other tables that requests write: each addition
/// would lock their rows, which changes of keys lock in an order of their own.
fn lookups(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(Lookups::Table)
        .col(columns.text(Lookups::Id).primary_key())
        .col(columns.text(Lookups::CustomerId))
        .col(columns.text(Lookups::KeyId))
        .col(columns.text(Lookups::CountersId))
        .col(columns.text(Lookups::Environment))
        .col(columns.text(Lookups::Class))
        .col(columns.text(Lookups::NextClass))
        .col(columns.text(Lookups::RequestId))
        .col(number(Lookups::Month))
        .col(columns.text(Lookups::State))
        .col(number(Lookups::CreatedAt))
        .col(number(Lookups::UpdatedAt))
        .col(number(Lookups::RetryUntil))
        .col(optional_number(Lookups::DueAt))
        .col(columns.optional_text(Lookups::LeaseToken))
        .col(number(Lookups::Attempts))
        .col(optional_number(Lookups::LastAt))
        .col(columns.optional_text(Lookups::LastOutcome))
        .col(optional_number(Lookups::EndedAt))
        .col(number(Lookups::Generation))
        .col(ColumnDef::new(Lookups::Question).blob().not_null())
        .col(ColumnDef::new(Lookups::Proof).blob())
        .take()
}

/// Indexes of the queries. The one by customer includes the columns that its list is filtered by,
/// so that rows that don't match aren't read. The others are partial: they hold the few lookups
/// that are open, not the many that have ended.
fn indexes() -> [IndexCreateStatement; 5] {
    let on = |name: &str, columns: &[Lookups]| {
        let mut index = Index::create().name(name).table(Lookups::Table).take();
        for column in columns {
            index.col(*column);
        }
        index
    };
    let is_open = || Expr::col(Lookups::DueAt).is_not_null();
    [
        on(
            "lookups_of_a_customer",
            &[
                Lookups::CustomerId,
                Lookups::CreatedAt,
                Lookups::Id,
                Lookups::State,
                Lookups::CountersId,
                Lookups::Environment,
            ],
        ),
        on(
            "lookups_due",
            &[
                Lookups::NextClass,
                Lookups::CustomerId,
                Lookups::DueAt,
                Lookups::Id,
            ],
        )
        .and_where(is_open())
        .take(),
        // Quickly shows that nothing is due, while lookups of many customers wait.
        on("lookups_by_due_time", &[Lookups::NextClass, Lookups::DueAt])
            .and_where(is_open())
            .take(),
        on("lookups_of_counters", &[Lookups::CountersId, Lookups::Id])
            .and_where(is_open())
            .take(),
        on("lookups_by_end", &[Lookups::EndedAt])
            .and_where(Expr::col(Lookups::EndedAt).is_not_null())
            .take(),
    ]
}

/// Attempts have numbers from 1 on. They are removed with their lookup.
fn attempts(columns: Columns) -> TableCreateStatement {
    let mut table = Table::create()
        .table(LookupAttempts::Table)
        .col(columns.text(LookupAttempts::LookupId))
        .col(number(LookupAttempts::Number))
        .col(number(LookupAttempts::At))
        .col(columns.text(LookupAttempts::Outcome))
        .primary_key(
            Index::create()
                .col(LookupAttempts::LookupId)
                .col(LookupAttempts::Number),
        )
        .foreign_key(
            ForeignKey::create()
                .from(LookupAttempts::Table, LookupAttempts::LookupId)
                .to(Lookups::Table, Lookups::Id)
                .on_delete(ForeignKeyAction::Cascade),
        )
        .take();
    if columns.0 == DbBackend::Sqlite {
        table.extra("WITHOUT ROWID");
    }
    table
}

/// The latest turn of each customer, in which one of its lookups was claimed; larger numbers are
/// later turns. Numbers instead of times, so that a clock that is set back delays no customer.
fn turns(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(LookupTurns::Table)
        .col(columns.text(LookupTurns::CustomerId).primary_key())
        .col(number(LookupTurns::Turn))
        .take()
}
