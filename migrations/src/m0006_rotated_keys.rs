//! Successors of keys share the counters of their first predecessor.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::Columns;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0006_rotated_keys"
    }
}

#[derive(DeriveIden)]
enum ApiKeys {
    Table,
    FirstKeyId,
}

const OF_A_ROTATION: &str = "keys_of_a_rotation";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// NULL is a key that succeeds no other: every key of an older version, also one that it adds
    /// while this schema is already in use.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut column = Columns::of(manager).optional_text(ApiKeys::FirstKeyId);
        let table = Table::alter()
            .table(ApiKeys::Table)
            .add_column(&mut column)
            .take();
        manager.alter_table(table).await?;
        let of_a_rotation = Index::create()
            .name(OF_A_ROTATION)
            .table(ApiKeys::Table)
            .col(ApiKeys::FirstKeyId)
            .take();
        manager.create_index(of_a_rotation).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let index = Index::drop()
            .name(OF_A_ROTATION)
            .table(ApiKeys::Table)
            .to_owned();
        manager.drop_index(index).await?;
        let table = Table::alter()
            .table(ApiKeys::Table)
            .drop_column(ApiKeys::FirstKeyId)
            .take();
        manager.alter_table(table).await
    }
}
