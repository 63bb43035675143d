//! Table of identity-provider keys that replicas shared until [`crate::m0005_drop_provider_keys`].
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::{Columns, number, optional_number};

#[derive(DeriveIden)]
enum ProviderKeys {
    Table,
    Issuer,
    Turn,
    Ended,
    BegunAt,
    MissedAt,
    Document,
    DocumentTurn,
    AskedAt,
}

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0003_provider_keys"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop(manager).await
    }
}

pub(crate) async fn create(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create_table(provider_keys(Columns::of(manager)))
        .await
}

pub(crate) async fn drop(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::drop().table(ProviderKeys::Table).take();
    manager.drop_table(table).await
}

/// One row per issuer: the newest turn to fetch its keys and its start, the newest turn that ended,
/// and the newest key set (JSON) with its turn and the time of its request. Instants are by the
/// database's own clock.
fn provider_keys(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(ProviderKeys::Table)
        .col(columns.text(ProviderKeys::Issuer).primary_key())
        .col(number(ProviderKeys::Turn))
        .col(number(ProviderKeys::Ended))
        .col(number(ProviderKeys::BegunAt))
        .col(optional_number(ProviderKeys::MissedAt))
        .col(columns.optional_text(ProviderKeys::Document))
        .col(number(ProviderKeys::DocumentTurn))
        .col(optional_number(ProviderKeys::AskedAt))
        .take()
}
