//! Replicas that serve, by their heartbeats.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::{Columns, number};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0007_replicas"
    }
}

#[derive(DeriveIden)]
enum Replicas {
    Table,
    Instance,
    BeatAt,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// The time of a beat is the database's own, in unix milliseconds.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = Columns::of(manager);
        let table = Table::create()
            .table(Replicas::Table)
            .col(columns.text(Replicas::Instance).primary_key())
            .col(number(Replicas::BeatAt))
            .take();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::drop().table(Replicas::Table).take();
        manager.drop_table(table).await
    }
}
