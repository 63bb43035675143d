//! The verdict on the seal of a delivered lookup.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::Columns;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0017_lookup_seals"
    }
}

#[derive(Clone, Copy, DeriveIden)]
enum Lookups {
    Table,
    BatchId,
    State,
    DueAt,
    Seal,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// NULL is a lookup that isn't delivered, or that an older version delivered, also while this
    /// schema is already in use. The index of a batch's lookups includes the columns that they are
    /// counted by.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut column = Columns::of(manager).optional_text(Lookups::Seal);
        let table = Table::alter()
            .table(Lookups::Table)
            .add_column(&mut column)
            .take();
        manager.alter_table(table).await?;
        manager.drop_index(dropped_index()).await?;
        let index = index(&[
            Lookups::BatchId,
            Lookups::State,
            Lookups::DueAt,
            Lookups::Seal,
        ]);
        manager.create_index(index).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(dropped_index()).await?;
        let table = Table::alter()
            .table(Lookups::Table)
            .drop_column(Lookups::Seal)
            .take();
        manager.alter_table(table).await?;
        let index = index(&[Lookups::BatchId, Lookups::State, Lookups::DueAt]);
        manager.create_index(index).await
    }
}

fn index(columns: &[Lookups]) -> IndexCreateStatement {
    let mut index = Index::create()
        .name("lookups_of_a_batch")
        .table(Lookups::Table)
        .take();
    for column in columns {
        index.col(*column);
    }
    index
        .and_where(Expr::col(Lookups::BatchId).is_not_null())
        .take()
}

fn dropped_index() -> IndexDropStatement {
    let mut index = Index::drop();
    index.name("lookups_of_a_batch").table(Lookups::Table);
    index
}
