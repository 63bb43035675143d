//! Archive of issued proofs, encrypted.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::{Columns, number};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0012_proof_archive"
    }
}

#[derive(DeriveIden)]
enum ProofArchive {
    Table,
    Id,
    Content,
    Size,
    StoredAt,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// The index is for pruning. `size` is that of the encrypted content, so that a sum of sizes
    /// needn't read it.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = Columns::of(manager);
        let table = Table::create()
            .table(ProofArchive::Table)
            .col(columns.text(ProofArchive::Id).primary_key())
            .col(ColumnDef::new(ProofArchive::Content).blob().not_null())
            .col(number(ProofArchive::Size))
            .col(number(ProofArchive::StoredAt))
            .take();
        manager.create_table(table).await?;
        let by_time = Index::create()
            .name("proof_archive_by_time")
            .table(ProofArchive::Table)
            .col(ProofArchive::StoredAt)
            .take();
        manager.create_index(by_time).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::drop().table(ProofArchive::Table).take();
        manager.drop_table(table).await
    }
}
