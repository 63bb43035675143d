//! API keys.

use async_graphql::{Enum, SimpleObject};
use domain::keys::KeyOverview;
use serde::Serialize;
use utoipa::ToSchema;

use super::limits::MonthlyUse;
use super::people::Owner;
use super::scalars::{Count, DateTime, Id};

/// Bank that a key asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::keys::Environment")]
#[serde(rename_all = "snake_case")]
pub enum Environment {
    /// The central bank's portal.
    Live,
    /// The sandbox bank.
    Test,
}

/// State of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::keys::KeyStatus")]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// It admits requests.
    Active,
    /// It admits requests until it revokes itself: it has a successor.
    Retiring,
    /// It admits nothing any more. There is no way back.
    Revoked,
}

/// A key, as its owner sees it.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct ApiKey {
    /// Id of the key.
    id: Id,
    /// A label, 1 to 100 characters; blanks around it are dropped.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// The public part, by which it is recognised: `cep_live_AbCd1234`.
    #[schema(pattern = "^cep_(live|test)_[0-9A-Za-z]{8}$")]
    prefix: String,
    /// Requests allowed in any 60 seconds.
    #[schema(minimum = 1, maximum = 1_000_000)]
    per_minute: u32,
    /// Requests allowed in a UTC calendar month; null without a cap.
    #[schema(required)]
    monthly_quota: Option<Count>,
    /// Time of its revocation; null while it is active.
    #[schema(required)]
    revoked_at: Option<DateTime>,
    /// Time of its creation.
    created_at: DateTime,
}

impl From<&domain::keys::ApiKey> for ApiKey {
    fn from(key: &domain::keys::ApiKey) -> Self {
        Self {
            id: key.id.into(),
            name: key.name.as_str().to_owned(),
            prefix: key.prefix.as_str().to_owned(),
            per_minute: key.limits.per_minute(),
            monthly_quota: key.limits.monthly_quota().map(Count),
            revoked_at: key.revoked_at.map(DateTime),
            created_at: DateTime(key.created_at),
        }
    }
}

/// A key with its owner, its state and its use. Its secret is shown once, when it is made.
#[derive(SimpleObject, Serialize, ToSchema)]
#[graphql(name = "KeySummary")]
pub struct Key {
    #[graphql(flatten)]
    #[serde(flatten)]
    basic: ApiKey,
    /// The account that it belongs to.
    account_id: Id,
    /// Its owner.
    owner: Owner,
    /// The bank that it asks.
    env: Environment,
    /// Its state.
    state: KeyState,
    /// Time at which it revokes itself, because it was rotated; null for a key without a successor.
    #[schema(required)]
    retires_at: Option<DateTime>,
    /// Time of its last use, to the minute; null before the first.
    #[schema(required)]
    last_used_at: Option<DateTime>,
    /// Use of this month.
    month: MonthlyUse,
}

impl From<&KeyOverview> for Key {
    fn from(overview: &KeyOverview) -> Self {
        let key = &overview.key;
        Self {
            basic: key.into(),
            account_id: key.customer.into(),
            owner: (&key.owner).into(),
            env: key.prefix.environment().into(),
            state: key.status().into(),
            retires_at: key.retires_at.map(DateTime),
            last_used_at: key.last_used_at.map(DateTime),
            month: MonthlyUse::new(overview.month, overview.used, overview.remaining()),
        }
    }
}
