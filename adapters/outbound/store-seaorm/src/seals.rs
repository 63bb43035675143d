//! Keys and samples of seals.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::hex;
use domain::participants::ParticipantCode;
use domain::seals::{CertificateNumber, SealKey, SealKeyOrigin, SealedDigest, Signer};
use ports::outbound::{MAX_SAMPLES, SealSample, SealStore, StoreError, StoredSealKey};
use sea_orm::sea_query::{Expr, ExprTrait, Func, OnConflict};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, Set, Statement,
};

use crate::entity::{seal_keys, seal_samples};
use crate::row::Row;
use crate::store::{Store, failed};

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
        self.in_time(async {
            let rows = Entity::find()
                .order_by_asc(Column::Participant)
                .order_by_asc(Column::Certificate)
                .order_by_asc(Column::AddedAt)
                .order_by_asc(Column::Fingerprint)
                .all(&self.connection)
                .await;
            rows.map_err(failed)?.iter().map(to_key).collect()
        })
        .await
    }

    async fn add_seal_key(
        &self,
        signer: &Signer,
        key: &SealKey,
        origin: SealKeyOrigin,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let new = seal_keys::ActiveModel {
            participant: Set(participant(signer)),
            certificate: Set(signer.certificate.to_string()),
            fingerprint: Set(key.fingerprint()),
            modulus: Set(hex::encode(key.modulus())),
            exponent: Set(hex::encode(key.exponent())),
            origin: Set(origin.name().to_owned()),
            added_at: Set(now.timestamp_millis()),
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
        let a_day_ago = (now - TimeDelta::days(1)).timestamp_millis();
        let now = now.timestamp_millis();
        let first = Func::coalesce([Expr::col(Column::FirstUsedAt), Expr::value(now)]);
        let is_old = Column::LastUsedAt.is_null();
        let is_old = is_old.or(Column::LastUsedAt.lt(a_day_ago));
        let update = Entity::update_many()
            .col_expr(Column::FirstUsedAt, first.into())
            .col_expr(Column::LastUsedAt, Expr::value(now))
            .filter(Column::Participant.eq(participant(signer)))
            .filter(Column::Certificate.eq(signer.certificate.as_str()))
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
                let known = self.digests(&sample.signer).await.map_err(failed)?;
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
        self.in_time(async {
            let rows = Entity::find()
                .order_by_asc(Column::Participant)
                .order_by_asc(Column::Certificate)
                .order_by_asc(Column::AddedAt)
                .order_by_asc(Column::Place)
                .all(&self.connection)
                .await;
            rows.map_err(failed)?.iter().map(to_sample).collect()
        })
        .await
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
            participant(&sample.signer).into(),
            sample.signer.certificate.as_str().into(),
            hex::encode(&sample.digest.0).into(),
            hex::encode(&sample.seal).into(),
            now.timestamp_millis().into(),
            i64::try_from(MAX_SAMPLES).unwrap_or(i64::MAX).into(),
        ];
        let backend = self.connection.get_database_backend();
        let insert = Statement::from_sql_and_values(backend, ADD_SAMPLE, values);
        let inserted = self.write(self.connection.execute_raw(insert)).await?;
        Ok(inserted.rows_affected() > 0)
    }

    /// The digests of a signer's samples, as stored.
    async fn digests(&self, signer: &Signer) -> Result<Vec<String>, DbErr> {
        use seal_samples::{Column, Entity};
        let rows = Entity::find()
            .filter(Column::Participant.eq(participant(signer)))
            .filter(Column::Certificate.eq(signer.certificate.as_str()))
            .all(&self.connection)
            .await?;
        Ok(rows.into_iter().map(|row| row.digest).collect())
    }
}

fn participant(signer: &Signer) -> i64 {
    signer.participant.number().into()
}

fn to_key(row: &seal_keys::Model) -> Result<StoredSealKey, StoreError> {
    let of = Row {
        table: "seal_keys",
        id: &row.fingerprint,
    };
    let modulus = hex::decode(&row.modulus).ok_or_else(|| of.unreadable("modulus"))?;
    let exponent = hex::decode(&row.exponent).ok_or_else(|| of.unreadable("exponent"))?;
    let key = SealKey::new(&modulus, &exponent).map_err(|_| of.unreadable("modulus"))?;
    let origin = SealKeyOrigin::from_name(&row.origin).ok_or_else(|| of.unreadable("origin"))?;
    Ok(StoredSealKey {
        signer: to_signer(of, row.participant, &row.certificate)?,
        key,
        origin,
        added_at: of.instant(row.added_at, "added_at")?,
        first_used_at: of.optional_instant(row.first_used_at, "first_used_at")?,
        last_used_at: of.optional_instant(row.last_used_at, "last_used_at")?,
    })
}

fn to_sample(row: &seal_samples::Model) -> Result<SealSample, StoreError> {
    let of = Row {
        table: "seal_samples",
        id: &row.certificate,
    };
    let digest = bytes(&row.digest).ok_or_else(|| of.unreadable("digest"))?;
    Ok(SealSample {
        signer: to_signer(of, row.participant, &row.certificate)?,
        digest: SealedDigest(digest),
        seal: bytes(&row.seal).ok_or_else(|| of.unreadable("seal"))?,
    })
}

fn to_signer(row: Row<'_>, participant: i64, certificate: &str) -> Result<Signer, StoreError> {
    let participant = ParticipantCode::parse(&participant.to_string());
    let certificate = CertificateNumber::parse(certificate);
    Ok(Signer {
        participant: participant.ok_or_else(|| row.unreadable("participant"))?,
        certificate: certificate.ok_or_else(|| row.unreadable("certificate"))?,
    })
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    hex::decode(text)?.try_into().ok()
}
