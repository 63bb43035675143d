//! Requests with an idempotency key.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::{Columns, number, optional_number};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0014_idempotency"
    }
}

#[derive(DeriveIden)]
enum IdempotencyKeys {
    Table,
    Id,
    Fingerprint,
    ClaimToken,
    ClaimedUntil,
    ExpiresAt,
    LookupId,
    Outcome,
    SeenTimes,
    SeenFirst,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// `id` is a keyed hash of API key, route and idempotency key. The index is for pruning.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = Columns::of(manager);
        let table = Table::create()
            .table(IdempotencyKeys::Table)
            .col(columns.text(IdempotencyKeys::Id).primary_key())
            .col(columns.text(IdempotencyKeys::Fingerprint))
            .col(columns.text(IdempotencyKeys::ClaimToken))
            .col(number(IdempotencyKeys::ClaimedUntil))
            .col(number(IdempotencyKeys::ExpiresAt))
            .col(columns.optional_text(IdempotencyKeys::LookupId))
            .col(columns.optional_text(IdempotencyKeys::Outcome))
            .col(optional_number(IdempotencyKeys::SeenTimes))
            .col(optional_number(IdempotencyKeys::SeenFirst))
            .take();
        manager.create_table(table).await?;
        let by_time = Index::create()
            .name("idempotency_keys_by_time")
            .table(IdempotencyKeys::Table)
            .col(IdempotencyKeys::ExpiresAt)
            .take();
        manager.create_index(by_time).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::drop().table(IdempotencyKeys::Table).take();
        manager.drop_table(table).await
    }
}
