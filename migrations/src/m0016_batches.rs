//! Batches, their rows, and lookups that are rows of one.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::{Columns, number, optional_number};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0016_batches"
    }
}

#[derive(Clone, Copy, DeriveIden)]
enum Batches {
    Table,
    Id,
    CustomerId,
    KeyId,
    CountersId,
    Environment,
    RequestId,
    AllRows,
    FaultyRows,
    DuplicateRows,
    NextRow,
    State,
    CreatedAt,
    UpdatedAt,
    DueAt,
    LeaseToken,
    EndedAt,
    Generation,
    Content,
}

#[derive(DeriveIden)]
enum BatchChunks {
    Table,
    BatchId,
    Number,
    Content,
}

#[derive(Clone, Copy, DeriveIden)]
enum Lookups {
    Table,
    BatchId,
    BatchRow,
    State,
    DueAt,
}

#[derive(DeriveIden)]
enum IdempotencyKeys {
    Table,
    BatchId,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = Columns::of(manager);
        manager.create_table(batches(columns)).await?;
        manager.create_table(chunks(columns)).await?;
        for table in new_columns(columns) {
            manager.alter_table(table).await?;
        }
        for index in indexes() {
            manager.create_index(index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for name in ["lookups_of_a_batch", "lookups_of_rows"] {
            let mut index = Index::drop();
            index.name(name).table(Lookups::Table);
            manager.drop_index(index).await?;
        }
        let columns = [
            (Lookups::Table.into_iden(), Lookups::BatchId.into_iden()),
            (Lookups::Table.into_iden(), Lookups::BatchRow.into_iden()),
            (
                IdempotencyKeys::Table.into_iden(),
                IdempotencyKeys::BatchId.into_iden(),
            ),
        ];
        for (table, column) in columns {
            let altered = Table::alter().table(table).drop_column(column).take();
            manager.alter_table(altered).await?;
        }
        for table in [BatchChunks::Table.into_iden(), Batches::Table.into_iden()] {
            manager
                .drop_table(Table::drop().table(table).take())
                .await?;
        }
        Ok(())
    }
}

/// `due_at` is NULL, and `ended_at` isn't, once a batch is final. `next_row` is the first row for
/// which creating a lookup wasn't tried yet. `content` is encrypted.
///
/// No foreign keys to customers and keys, as in the other tables that requests write.
fn batches(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(Batches::Table)
        .col(columns.text(Batches::Id).primary_key())
        .col(columns.text(Batches::CustomerId))
        .col(columns.text(Batches::KeyId))
        .col(columns.text(Batches::CountersId))
        .col(columns.text(Batches::Environment))
        .col(columns.text(Batches::RequestId))
        .col(number(Batches::AllRows))
        .col(number(Batches::FaultyRows))
        .col(number(Batches::DuplicateRows))
        .col(number(Batches::NextRow))
        .col(columns.text(Batches::State))
        .col(number(Batches::CreatedAt))
        .col(number(Batches::UpdatedAt))
        .col(optional_number(Batches::DueAt))
        .col(columns.optional_text(Batches::LeaseToken))
        .col(optional_number(Batches::EndedAt))
        .col(number(Batches::Generation))
        .col(ColumnDef::new(Batches::Content).blob().not_null())
        .take()
}

/// Chunks have numbers from 0 on, and hold rows, encrypted. They are removed with their batch. On
/// SQLite the table has row ids: without them, a search would read through large values.
fn chunks(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(BatchChunks::Table)
        .col(columns.text(BatchChunks::BatchId))
        .col(number(BatchChunks::Number))
        .col(ColumnDef::new(BatchChunks::Content).blob().not_null())
        .primary_key(
            Index::create()
                .col(BatchChunks::BatchId)
                .col(BatchChunks::Number),
        )
        .foreign_key(
            ForeignKey::create()
                .from(BatchChunks::Table, BatchChunks::BatchId)
                .to(Batches::Table, Batches::Id)
                .on_delete(ForeignKeyAction::Cascade),
        )
        .take()
}

/// One column per statement, as SQLite requires. NULL is a lookup outside of a batch, or an answer
/// that isn't a batch; also a row of an older version, which keeps working with this schema.
fn new_columns(columns: Columns) -> [TableAlterStatement; 3] {
    let added = |table: DynIden, mut column: ColumnDef| {
        Table::alter().table(table).add_column(&mut column).take()
    };
    let lookups = || Lookups::Table.into_iden();
    [
        added(lookups(), columns.optional_text(Lookups::BatchId)),
        added(lookups(), optional_number(Lookups::BatchRow)),
        added(
            IdempotencyKeys::Table.into_iden(),
            columns.optional_text(IdempotencyKeys::BatchId),
        ),
    ]
}

/// Indexes of the queries. The one by customer includes the columns that its list is filtered by,
/// as the one of lookups does; the index of a batch's lookups includes those that they are counted
/// by.
fn indexes() -> [IndexCreateStatement; 5] {
    let on = |name: &str, columns: &[Batches]| {
        let mut index = Index::create().name(name).table(Batches::Table).take();
        for column in columns {
            index.col(*column);
        }
        index
    };
    let of_lookups = |name: &str, columns: &[Lookups]| {
        let mut index = Index::create().name(name).table(Lookups::Table).take();
        for column in columns {
            index.col(*column);
        }
        index
            .and_where(Expr::col(Lookups::BatchId).is_not_null())
            .take()
    };
    [
        on(
            "batches_of_a_customer",
            &[
                Batches::CustomerId,
                Batches::CreatedAt,
                Batches::Id,
                Batches::State,
                Batches::CountersId,
                Batches::Environment,
            ],
        ),
        on("batches_due", &[Batches::DueAt, Batches::Id])
            .and_where(Expr::col(Batches::DueAt).is_not_null())
            .take(),
        on("batches_by_end", &[Batches::EndedAt])
            .and_where(Expr::col(Batches::EndedAt).is_not_null())
            .take(),
        of_lookups(
            "lookups_of_a_batch",
            &[Lookups::BatchId, Lookups::State, Lookups::DueAt],
        ),
        of_lookups("lookups_of_rows", &[Lookups::BatchId, Lookups::BatchRow])
            .unique()
            .take(),
    ]
}
