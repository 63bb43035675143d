//! Proofs that were delivered to each customer, by keyed hashes.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::columns::{Columns, number};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0010_seen_proofs"
    }
}

#[derive(DeriveIden)]
enum SeenProofs {
    Table,
    CustomerId,
    Hash,
    Deliveries,
    FirstAt,
    LastAt,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// No foreign key, as in the counters of the month. The index is for pruning.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = Columns::of(manager);
        let mut table = Table::create()
            .table(SeenProofs::Table)
            .col(columns.text(SeenProofs::CustomerId))
            .col(columns.text(SeenProofs::Hash))
            .col(number(SeenProofs::Deliveries))
            .col(number(SeenProofs::FirstAt))
            .col(number(SeenProofs::LastAt))
            .primary_key(
                Index::create()
                    .col(SeenProofs::CustomerId)
                    .col(SeenProofs::Hash),
            )
            .take();
        if columns.0 == DbBackend::Sqlite {
            table.extra("WITHOUT ROWID");
        }
        manager.create_table(table).await?;
        let by_time = Index::create()
            .name("seen_proofs_by_time")
            .table(SeenProofs::Table)
            .col(SeenProofs::LastAt)
            .take();
        manager.create_index(by_time).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::drop().table(SeenProofs::Table).take();
        manager.drop_table(table).await
    }
}
