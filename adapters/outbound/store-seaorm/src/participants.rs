//! The catalogue of participants: one row, changed by conditional updates.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::calendar;
use domain::participants::Catalogue;
use ports::outbound::{CatalogueStore, CatalogueVersion, RenewalClaim, StoreError};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, UpdateMany};

use crate::entity::participant_catalogue::{Column, Entity, Model};
use crate::error::failed;
use crate::read::{First, Read};
use crate::store::Store;
use crate::stored::Stored;

const ID: i64 = 1;

/// The row is missing, or can't be read.
#[derive(Debug, thiserror::Error)]
#[error("the table participant_catalogue is damaged: {0}")]
struct Damaged(&'static str);

#[async_trait]
impl CatalogueStore for Store {
    async fn catalogue_version(&self) -> Result<CatalogueVersion, StoreError> {
        let row = Entity::find_by_id(ID).select_only().column(Column::Version);
        let row = self.in_time(row.row_as::<First<Stored<u64>>>(&self.connection));
        to_version(row.await?.map(|First(version)| version))
    }

    async fn catalogue(&self) -> Result<(CatalogueVersion, Option<Catalogue>), StoreError> {
        let row = Entity::find_by_id(ID).row(&self.connection);
        let row = self.in_time(row).await?;
        let version = to_version(row.as_ref().map(|row| row.version))?;
        let catalogue = row.as_ref().map(to_catalogue).transpose()?;
        Ok((version, catalogue.flatten()))
    }

    async fn replace_catalogue(
        &self,
        CatalogueVersion(replaced): CatalogueVersion,
        catalogue: &Catalogue,
    ) -> Result<Option<CatalogueVersion>, StoreError> {
        let update = Entity::update_many()
            .col_expr(Column::Version, Expr::value(Stored(replaced + 1)))
            .col_expr(Column::AsOf, Expr::value(catalogue.as_of().to_string()))
            .col_expr(Column::Participants, Expr::value(catalogue.to_csv()))
            .filter(Column::Version.eq(Stored(replaced)));
        match self.change_catalogue(update).await? {
            0 => Ok(None),
            _ => Ok(Some(CatalogueVersion(replaced + 1))),
        }
    }

    async fn claim_renewal(
        &self,
        now: DateTime<Utc>,
        next: DateTime<Utc>,
    ) -> Result<RenewalClaim, StoreError> {
        let due = schedule(next).filter(Column::RenewAt.lte(Stored(now)));
        if self.change_catalogue(due).await? > 0 {
            return Ok(RenewalClaim::Granted);
        }
        let first = schedule(next).filter(Column::RenewAt.is_null());
        self.change_catalogue(first).await?;
        Ok(RenewalClaim::NotDue)
    }

    async fn schedule_renewal(&self, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.change_catalogue(schedule(at)).await?;
        Ok(())
    }
}

impl Store {
    /// Updates the row if it meets the update's condition; returns the number of updated rows.
    async fn change_catalogue(&self, update: UpdateMany<Entity>) -> Result<u64, StoreError> {
        let updated = update.filter(Column::Id.eq(ID)).exec(&self.connection);
        Ok(self.write(updated).await?.rows_affected)
    }
}

fn schedule(at: DateTime<Utc>) -> UpdateMany<Entity> {
    Entity::update_many().col_expr(Column::RenewAt, Expr::value(Stored(at)))
}

fn to_version(stored: Option<Stored<u64>>) -> Result<CatalogueVersion, StoreError> {
    let missing = || failed(Damaged("its row is missing"));
    stored
        .map(|Stored(version)| CatalogueVersion(version))
        .ok_or_else(missing)
}

fn to_catalogue(row: &Model) -> Result<Option<Catalogue>, StoreError> {
    let (Some(as_of), Some(participants)) = (&row.as_of, &row.participants) else {
        return Ok(None);
    };
    let as_of = calendar::parse_date(as_of).map_err(failed)?;
    let catalogue = Catalogue::from_csv(participants, as_of).map_err(failed)?;
    Ok(Some(catalogue))
}
