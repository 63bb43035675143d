//! The catalogue of participants that all processes share.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

use crate::columns::{Columns, number, optional_number};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0008_participant_catalogue"
    }
}

#[derive(DeriveIden)]
enum ParticipantCatalogue {
    Table,
    Id,
    Version,
    AsOf,
    Participants,
    RenewAt,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// One row, inserted here: every change is a conditional update.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = Columns::of(manager);
        let table = Table::create()
            .table(ParticipantCatalogue::Table)
            .col(number(ParticipantCatalogue::Id).primary_key())
            .col(number(ParticipantCatalogue::Version))
            .col(columns.optional_text(ParticipantCatalogue::AsOf))
            .col(columns.optional_text(ParticipantCatalogue::Participants))
            .col(optional_number(ParticipantCatalogue::RenewAt))
            .to_owned();
        manager.create_table(table).await?;
        let row = Query::insert()
            .into_table(ParticipantCatalogue::Table)
            .columns([ParticipantCatalogue::Id, ParticipantCatalogue::Version])
            .values_panic([1.into(), 0.into()])
            .to_owned();
        manager.execute(row).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::drop().table(ParticipantCatalogue::Table).to_owned();
        manager.drop_table(table).await
    }
}
