//! The bank's last answer without a proof (the finding) to each lookup.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0018_lookup_findings"
    }
}

#[derive(DeriveIden)]
enum Lookups {
    Table,
    Finding,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// Encrypted, like the question and the proof. NULL is a lookup without such an answer, and one that
    /// an older version worked on.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut column = ColumnDef::new(Lookups::Finding).blob().null().take();
        let table = Table::alter()
            .table(Lookups::Table)
            .add_column(&mut column)
            .take();
        manager.alter_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::alter()
            .table(Lookups::Table)
            .drop_column(Lookups::Finding)
            .take();
        manager.alter_table(table).await
    }
}
