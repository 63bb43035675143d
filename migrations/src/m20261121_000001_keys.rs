//! Keys, and the order in which they change.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let keys = Table::create()
            .table(ApiKeys::Table)
            .if_not_exists()
            .col(ColumnDef::new(ApiKeys::Id).text().not_null().primary_key())
            .col(ColumnDef::new(ApiKeys::OwnerIssuer).text().not_null())
            .col(ColumnDef::new(ApiKeys::OwnerSubject).text().not_null())
            .col(ColumnDef::new(ApiKeys::Name).text().not_null())
            .col(
                ColumnDef::new(ApiKeys::Prefix)
                    .text()
                    .not_null()
                    .unique_key(),
            )
            .col(ColumnDef::new(ApiKeys::Hash).text().not_null())
            .col(ColumnDef::new(ApiKeys::HashGeneration).integer().not_null())
            .col(ColumnDef::new(ApiKeys::PerMinute).big_integer().not_null())
            .col(ColumnDef::new(ApiKeys::MonthlyQuota).big_integer().null())
            .col(ColumnDef::new(ApiKeys::CreatedAt).big_integer().not_null())
            .col(ColumnDef::new(ApiKeys::RevokedAt).big_integer().null())
            .col(ColumnDef::new(ApiKeys::LastUsedAt).big_integer().null())
            .col(ColumnDef::new(ApiKeys::Version).big_integer().not_null())
            .to_owned();
        manager.create_table(keys).await?;
        let changes = Table::create()
            .table(KeyChanges::Table)
            .if_not_exists()
            .col(
                ColumnDef::new(KeyChanges::Number)
                    .big_integer()
                    .not_null()
                    .auto_increment()
                    .primary_key(),
            )
            .col(ColumnDef::new(KeyChanges::KeyId).text().not_null())
            .to_owned();
        manager.create_table(changes).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .drop_table(Table::drop().table(KeyChanges::Table).to_owned())
            .await?;
        manager
            .drop_table(Table::drop().table(ApiKeys::Table).to_owned())
            .await
    }
}

#[derive(DeriveIden)]
enum ApiKeys {
    Table,
    Id,
    OwnerIssuer,
    OwnerSubject,
    Name,
    Prefix,
    Hash,
    HashGeneration,
    PerMinute,
    MonthlyQuota,
    CreatedAt,
    RevokedAt,
    LastUsedAt,
    Version,
}

#[derive(DeriveIden)]
enum KeyChanges {
    Table,
    Number,
    KeyId,
}
