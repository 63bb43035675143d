//! The row of a key, and what it means.

use chrono::{DateTime, Utc};
use domain::key::{ApiKey, Credential, HashGeneration, KeyHash, KeyId, KeyName, KeyPrefix, Owner};
use domain::limits::Limits;
use ports::outbound::{KeyRecord, KeyState};
use sea_orm::entity::prelude::*;
use sea_orm::{ActiveValue::Set, FromQueryResult};

use crate::fault::Fault;

/// A key.
#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "api_keys")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) id: String,
    pub(crate) owner_issuer: String,
    pub(crate) owner_subject: String,
    pub(crate) name: String,
    pub(crate) prefix: String,
    pub(crate) hash: String,
    pub(crate) hash_generation: i32,
    pub(crate) per_minute: i64,
    pub(crate) monthly_quota: Option<i64>,
    pub(crate) created_at: i64,
    pub(crate) revoked_at: Option<i64>,
    pub(crate) last_used_at: Option<i64>,
    pub(crate) version: i64,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// The part of a key that limiters must know.
#[derive(Debug, FromQueryResult)]
pub(crate) struct StateRow {
    pub(crate) id: String,
    pub(crate) per_minute: i64,
    pub(crate) monthly_quota: Option<i64>,
    pub(crate) revoked_at: Option<i64>,
    pub(crate) version: i64,
}

impl StateRow {
    pub(crate) fn key_state(&self) -> Result<KeyState, Fault> {
        Ok(KeyState {
            revoked: self.revoked_at.is_some(),
            limits: limits(&self.id, self.per_minute, self.monthly_quota)?,
            version: unsigned(&self.id, "version", self.version)?,
        })
    }
}

/// The row of a new key.
pub(crate) fn row(record: &KeyRecord) -> ActiveModel {
    let KeyRecord { key, credential } = record;
    ActiveModel {
        id: Set(key.id.to_string()),
        owner_issuer: Set(key.owner.issuer.clone()),
        owner_subject: Set(key.owner.subject.clone()),
        name: Set(key.name.as_str().to_owned()),
        prefix: Set(key.prefix.as_str().to_owned()),
        hash: Set(to_hex(&credential.hash)),
        hash_generation: Set(i32::from(credential.generation.0)),
        per_minute: Set(i64::from(key.limits.per_minute())),
        monthly_quota: Set(stored_quota(key.limits)),
        created_at: Set(key.created_at.timestamp_millis()),
        revoked_at: Set(key.revoked_at.map(|at| at.timestamp_millis())),
        last_used_at: Set(key.last_used_at.map(|at| at.timestamp_millis())),
        version: Set(1),
    }
}

/// The quota as it is stored; the domain bounds it far below the largest BIGINT.
pub(crate) fn stored_quota(limits: Limits) -> Option<i64> {
    limits
        .monthly_quota()
        .map(|quota| i64::try_from(quota).unwrap_or(i64::MAX))
}

impl Model {
    pub(crate) fn api_key(self) -> Result<ApiKey, Fault> {
        let damaged = |column| damaged(&self.id, column);
        Ok(ApiKey {
            id: key_id(&self.id)?,
            name: KeyName::parse(&self.name).map_err(|_| damaged("name"))?,
            prefix: KeyPrefix::parse(&self.prefix).ok_or_else(|| damaged("prefix"))?,
            limits: limits(&self.id, self.per_minute, self.monthly_quota)?,
            created_at: instant(self.created_at).ok_or_else(|| damaged("created_at"))?,
            revoked_at: self.revoked_at.and_then(instant),
            last_used_at: self.last_used_at.and_then(instant),
            owner: Owner {
                issuer: self.owner_issuer,
                subject: self.owner_subject,
            },
        })
    }

    pub(crate) fn credential(&self) -> Result<Credential, Fault> {
        let generation = u16::try_from(self.hash_generation).ok();
        Ok(Credential {
            id: key_id(&self.id)?,
            hash: from_hex(&self.hash).ok_or_else(|| damaged(&self.id, "hash"))?,
            generation: generation
                .map(HashGeneration)
                .ok_or_else(|| damaged(&self.id, "hash_generation"))?,
        })
    }
}

pub(crate) fn key_id(text: &str) -> Result<KeyId, Fault> {
    Uuid::parse_str(text)
        .map(KeyId)
        .map_err(|_| damaged(text, "id"))
}

pub(crate) fn unsigned(id: &str, column: &'static str, number: i64) -> Result<u64, Fault> {
    u64::try_from(number).map_err(|_| damaged(id, column))
}

fn limits(id: &str, per_minute: i64, monthly_quota: Option<i64>) -> Result<Limits, Fault> {
    let per_minute = u32::try_from(per_minute).map_err(|_| damaged(id, "per_minute"))?;
    let quota = monthly_quota
        .map(|quota| unsigned(id, "monthly_quota", quota))
        .transpose()?;
    Limits::new(per_minute, quota).map_err(|_| damaged(id, "per_minute or monthly_quota"))
}

fn damaged(id: &str, column: &'static str) -> Fault {
    Fault::Damaged {
        table: "api_keys",
        id: id.to_owned(),
        column,
    }
}

fn instant(millis: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(millis)
}

fn to_hex(hash: &KeyHash) -> String {
    hash.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<KeyHash> {
    let mut hash = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (place, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(KeyHash(hash))
}
