//! Keys and samples of seals.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::hex;
use domain::seals::{SealKey, SealKeyOrigin, SealedDigest, Signer};
use ports::outbound::{MAX_SAMPLES, SealSample, SealStore, StoreError, StoredSealKey};
use sea_orm::sea_query::{Expr, ExprTrait, Func, OnConflict};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, Set};

use crate::entity::{seal_keys, seal_samples};
use crate::error::unreadable;
use crate::read::{Read, sql};
use crate::store::Store;
use crate::stored::{Stored, bytes};

/// Inserts a sample at the first free place of its signer. Nothing is inserted when there is none, when
/// the sample is known, or when another transaction took the place meanwhile.
const ADD_SAMPLE: &str = "INSERT INTO seal_samples \
     (participant, certificate, digest, seal, added_at, place) \
     SELECT $1, $2, $3, $4, $5, taken.places + 1 FROM \
     (SELECT COUNT(*) AS places FROM seal_samples WHERE participant = $1 AND certificate = $2) \
     AS taken WHERE taken.places < $6 \
     ON CONFLICT DO NOTHING";

#[async_trait]
impl SealStore for Store {
    async fn seal_keys(&self) -> Result<Vec<StoredSealKey>, StoreError> {
        use seal_keys::{Column, Entity};
        let rows = Entity::find()
            .order_by_asc(Column::Participant)
            .order_by_asc(Column::Certificate)
            .order_by_asc(Column::AddedAt)
            .order_by_asc(Column::Fingerprint)
            .rows(&self.connection);
        self.in_time(rows).await?.into_iter().map(to_key).collect()
    }

    async fn add_seal_key(
        &self,
        signer: &Signer,
        key: &SealKey,
        origin: SealKeyOrigin,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let new = seal_keys::ActiveModel {
            participant: Set(Stored(signer.participant)),
            certificate: Set(Stored(signer.certificate.clone())),
            fingerprint: Set(key.fingerprint()),
            modulus: Set(hex::encode(key.modulus())),
            exponent: Set(hex::encode(key.exponent())),
            origin: Set(Stored(origin)),
            added_at: Set(Stored(now)),
            first_used_at: Set(None),
            last_used_at: Set(None),
        };
        let known = OnConflict::new().do_nothing().to_owned();
        let insert = seal_keys::Entity::insert(new).on_conflict(known);
        let inserted = insert.exec_without_returning(&self.connection);
        Ok(self.write(inserted).await? > 0)
    }

    async fn record_seal_use(
        &self,
        signer: &Signer,
        key: &SealKey,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        use seal_keys::{Column, Entity};
        let a_day_ago = Stored(now - TimeDelta::days(1));
        let now = Stored(now);
        let first = Func::coalesce([Expr::col(Column::FirstUsedAt), Expr::value(now)]);
        let is_old = Column::LastUsedAt.is_null();
        let is_old = is_old.or(Column::LastUsedAt.lt(a_day_ago));
        let update = Entity::update_many()
            .col_expr(Column::FirstUsedAt, first.into())
            .col_expr(Column::LastUsedAt, Expr::value(now))
            .filter(Column::Participant.eq(Stored(signer.participant)))
            .filter(Column::Certificate.eq(Stored(signer.certificate.clone())))
            .filter(Column::Fingerprint.eq(key.fingerprint()))
            .filter(Column::Exponent.eq(hex::encode(key.exponent())))
            .filter(is_old);
        self.write(update.exec(&self.connection)).await.map(drop)
    }

    async fn add_seal_sample(
        &self,
        sample: &SealSample,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        self.in_time(async {
            // A place that another transaction took never becomes free, so the tries are bounded.
            for _ in 0..=MAX_SAMPLES {
                if self.insert_sample(sample, now).await? {
                    return Ok(true);
                }
                let known = self.digests(&sample.signer).await?;
                let is_known = known.contains(&hex::encode(&sample.digest.0));
                if is_known || known.len() >= MAX_SAMPLES {
                    return Ok(false);
                }
            }
            Ok(false)
        })
        .await
    }

    async fn seal_samples(&self) -> Result<Vec<SealSample>, StoreError> {
        use seal_samples::{Column, Entity};
        let rows = Entity::find()
            .order_by_asc(Column::Participant)
            .order_by_asc(Column::Certificate)
            .order_by_asc(Column::AddedAt)
            .order_by_asc(Column::Place)
            .rows(&self.connection);
        self.in_time(rows)
            .await?
            .into_iter()
            .map(to_sample)
            .collect()
    }
}

impl Store {
    /// Returns `true` if the sample was inserted.
    async fn insert_sample(
        &self,
        sample: &SealSample,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let values = [
            Stored(sample.signer.participant).into(),
            Stored(sample.signer.certificate.clone()).into(),
            hex::encode(&sample.digest.0).into(),
            hex::encode(&sample.seal).into(),
            Stored(now).into(),
            Stored(MAX_SAMPLES as u64).into(),
        ];
        let insert = sql(&self.connection, ADD_SAMPLE, values);
        let inserted = self.write(self.connection.execute_raw(insert)).await?;
        Ok(inserted.rows_affected() > 0)
    }

    /// The digests of a signer's samples, as stored.
    async fn digests(&self, signer: &Signer) -> Result<Vec<String>, StoreError> {
        use seal_samples::{Column, Entity};
        let rows = Entity::find()
            .filter(Column::Participant.eq(Stored(signer.participant)))
            .filter(Column::Certificate.eq(Stored(signer.certificate.clone())))
            .rows(&self.connection);
        Ok(rows.await?.into_iter().map(|row| row.digest).collect())
    }
}

fn to_key(row: seal_keys::Model) -> Result<StoredSealKey, StoreError> {
    let wrong = |column| unreadable("seal_keys", column, &row.fingerprint);
    let modulus = hex::decode(&row.modulus).ok_or_else(|| wrong("modulus"))?;
    let exponent = hex::decode(&row.exponent).ok_or_else(|| wrong("exponent"))?;
    Ok(StoredSealKey {
        key: SealKey::new(&modulus, &exponent).map_err(|_| wrong("modulus"))?,
        signer: Signer {
            participant: row.participant.0,
            certificate: row.certificate.0,
        },
        origin: row.origin.0,
        added_at: row.added_at.0,
        first_used_at: row.first_used_at.map(Stored::value),
        last_used_at: row.last_used_at.map(Stored::value),
    })
}

fn to_sample(row: seal_samples::Model) -> Result<SealSample, StoreError> {
    let wrong = |column| unreadable("seal_samples", column, row.certificate.0.as_str());
    Ok(SealSample {
        digest: SealedDigest(bytes(&row.digest).ok_or_else(|| wrong("digest"))?),
        seal: bytes(&row.seal).ok_or_else(|| wrong("seal"))?,
        signer: Signer {
            participant: row.participant.0,
            certificate: row.certificate.0,
        },
    })
}
