//! Fingerprints of secrets.

use async_trait::async_trait;
use domain::keys::{HashGeneration, SecretFingerprint};
use ports::outbound::{DatabaseSecret, SecretCheck, SecretFingerprints, StoreError};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, Set};

use crate::entity::secret_marks;
use crate::error::failed;
use crate::read::Read;
use crate::store::Store;
use crate::stored::Stored;

#[async_trait]
impl SecretFingerprints for Store {
    async fn recognise(
        &self,
        secret: DatabaseSecret,
        secrets: &[(HashGeneration, SecretFingerprint)],
    ) -> Result<SecretCheck, StoreError> {
        self.in_time(self.recognise_all(secret, secrets)).await
    }

    async fn is_known(&self, secret: DatabaseSecret) -> Result<bool, StoreError> {
        let numbers = number(secret, HashGeneration(0))..=number(secret, HashGeneration(u16::MAX));
        let known = secret_marks::Entity::find()
            .filter(secret_marks::Column::Generation.between(*numbers.start(), *numbers.end()))
            .row(&self.connection);
        Ok(self.in_time(known).await?.is_some())
    }
}

impl Store {
    /// Writes nothing when every fingerprint is known: the usual case, at every start.
    async fn recognise_all(
        &self,
        secret: DatabaseSecret,
        secrets: &[(HashGeneration, SecretFingerprint)],
    ) -> Result<SecretCheck, StoreError> {
        let mut unknown = Vec::new();
        for (generation, fingerprint) in secrets {
            match known(&self.connection, number(secret, *generation)).await? {
                Some(known) if known == *fingerprint => {}
                Some(_) => return Ok(SecretCheck::Other(*generation)),
                None => unknown.push((*generation, *fingerprint)),
            }
        }
        if unknown.is_empty() {
            return Ok(SecretCheck::Same);
        }
        // Two processes that start with the same generations insert them in one order, so they
        // don't deadlock.
        unknown.sort_by_key(|(generation, _)| *generation);
        let transaction = self.begin().await?;
        for (generation, fingerprint) in unknown {
            let number = number(secret, generation);
            add(&*transaction, number, fingerprint).await?;
            if known(&*transaction, number).await? != Some(fingerprint) {
                transaction.rollback().await.map_err(failed)?;
                return Ok(SecretCheck::Other(generation));
            }
        }
        transaction.commit().await.map_err(failed)?;
        Ok(SecretCheck::Same)
    }
}

/// The number of a secret's generation in the table: those of content follow the largest one of keys.
fn number(secret: DatabaseSecret, HashGeneration(generation): HashGeneration) -> i64 {
    let first = match secret {
        DatabaseSecret::Keys => 0,
        DatabaseSecret::Content => i64::from(u16::MAX) + 1,
    };
    first + i64::from(generation)
}

async fn known(
    connection: &impl ConnectionTrait,
    number: i64,
) -> Result<Option<SecretFingerprint>, StoreError> {
    let row = secret_marks::Entity::find_by_id(number);
    Ok(row.row(connection).await?.map(|row| row.mark.0))
}

/// Inserts a fingerprint, unless the number has one.
async fn add(
    connection: &impl ConnectionTrait,
    number: i64,
    fingerprint: SecretFingerprint,
) -> Result<(), StoreError> {
    let new = secret_marks::ActiveModel {
        generation: Set(number),
        mark: Set(Stored(fingerprint)),
    };
    let known = OnConflict::column(secret_marks::Column::Generation)
        .do_nothing()
        .to_owned();
    secret_marks::Entity::insert(new)
        .on_conflict(known)
        .exec_without_returning(connection)
        .await
        .map(drop)
        .map_err(failed)
}
