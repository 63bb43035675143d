//! Keys that verify seals, and samples from which keys are recovered.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::{Columns, number, optional_number};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0009_seals"
    }
}

#[derive(DeriveIden)]
enum SealKeys {
    Table,
    Participant,
    Certificate,
    Fingerprint,
    Modulus,
    Exponent,
    Origin,
    AddedAt,
    FirstUsedAt,
    LastUsedAt,
}

#[derive(DeriveIden)]
enum SealSamples {
    Table,
    Participant,
    Certificate,
    Place,
    Digest,
    Seal,
    AddedAt,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// Numbers, digests and seals are hexadecimal digits. Samples of a signer have places from 1
    /// on, so that a single statement can limit their number.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = Columns::of(manager);
        let keys = Table::create()
            .table(SealKeys::Table)
            .col(number(SealKeys::Participant))
            .col(columns.text(SealKeys::Certificate))
            .col(columns.text(SealKeys::Fingerprint))
            .col(columns.text(SealKeys::Modulus))
            .col(columns.text(SealKeys::Exponent))
            .col(columns.text(SealKeys::Origin))
            .col(number(SealKeys::AddedAt))
            .col(optional_number(SealKeys::FirstUsedAt))
            .col(optional_number(SealKeys::LastUsedAt))
            .primary_key(
                Index::create()
                    .col(SealKeys::Participant)
                    .col(SealKeys::Certificate)
                    .col(SealKeys::Fingerprint)
                    .col(SealKeys::Exponent),
            )
            .take();
        manager.create_table(keys).await?;
        let samples = Table::create()
            .table(SealSamples::Table)
            .col(number(SealSamples::Participant))
            .col(columns.text(SealSamples::Certificate))
            .col(number(SealSamples::Place))
            .col(columns.text(SealSamples::Digest))
            .col(columns.text(SealSamples::Seal))
            .col(number(SealSamples::AddedAt))
            .primary_key(
                Index::create()
                    .col(SealSamples::Participant)
                    .col(SealSamples::Certificate)
                    .col(SealSamples::Place),
            )
            .index(
                Index::create()
                    .unique()
                    .name("seal_samples_of_one_text")
                    .col(SealSamples::Participant)
                    .col(SealSamples::Certificate)
                    .col(SealSamples::Digest),
            )
            .take();
        manager.create_table(samples).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let samples = Table::drop().table(SealSamples::Table).take();
        manager.drop_table(samples).await?;
        let keys = Table::drop().table(SealKeys::Table).take();
        manager.drop_table(keys).await
    }
}
