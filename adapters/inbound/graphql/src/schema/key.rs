//! API keys, their limits and use.

use async_graphql::{ComplexObject, Context, ID, SimpleObject};
use domain::keys::KeyOverview;
use domain::limits::MinuteStatus;
use domain::page::{Page, PageRequest};

use super::account::Owner;
use super::connection::{PageInfo, connection};
use super::context::{ports, readings};
use super::enums::{Environment, KeyStatus};
use super::numbers::seconds;
use super::scalars::{Count, DateTime};
use crate::field_error::FieldError;

/// An API key. Its secret is shown once, by the mutation that made it.
#[derive(SimpleObject)]
#[graphql(complex)]
pub(crate) struct Key {
    /// Its identity.
    id: ID,
    /// The label that its owner chose.
    name: String,
    /// Its public part, by which it is recognised: `cep_live_AbCd1234`.
    prefix: String,
    /// The bank that it asks.
    environment: Environment,
    /// Its state.
    status: KeyStatus,
    /// Time of its creation.
    created_at: DateTime,
    /// Time of its last use, to the minute; null before the first.
    last_used_at: Option<DateTime>,
    /// Time at which it revokes itself, because it was rotated; null for a key without a successor.
    retires_at: Option<DateTime>,
    /// Time of its revocation; null while it isn't revoked.
    revoked_at: Option<DateTime>,
    /// Its owner.
    owner: Owner,
    /// The account that it belongs to.
    account_id: ID,
    /// Its limits.
    limits: Limits,
    /// Use of this month.
    month: MonthUse,
    #[graphql(skip)]
    overview: KeyOverview,
}

#[ComplexObject]
impl Key {
    /// Rest of its limit a minute, now.
    async fn window(&self, context: &Context<'_>) -> Result<Window, FieldError> {
        let insights = ports(context).insights.as_ref();
        let limit_status = readings(context).limit_status(insights, &self.overview);
        Ok(limit_status.await?.minute.into())
    }
}

impl From<KeyOverview> for Key {
    fn from(overview: KeyOverview) -> Self {
        let key = &overview.key;
        Self {
            id: key.id.into(),
            name: key.name.as_str().to_owned(),
            prefix: key.prefix.as_str().to_owned(),
            environment: key.prefix.environment().into(),
            status: key.status().into(),
            created_at: key.created_at.into(),
            last_used_at: key.last_used_at.map(DateTime::from),
            retires_at: key.retires_at.map(DateTime::from),
            revoked_at: key.revoked_at.map(DateTime::from),
            owner: key.owner.clone().into(),
            account_id: key.customer.into(),
            limits: key.limits.into(),
            month: MonthUse::from(&overview),
            overview,
        }
    }
}

/// Limits of a key.
#[derive(SimpleObject)]
pub(crate) struct Limits {
    /// Requests in any 60 seconds.
    per_minute: u32,
    /// Requests in a UTC calendar month; null without a cap.
    monthly_quota: Option<Count>,
}

impl From<domain::limits::Limits> for Limits {
    fn from(limits: domain::limits::Limits) -> Self {
        Self {
            per_minute: limits.per_minute(),
            monthly_quota: limits.monthly_quota().map(Count),
        }
    }
}

/// Use of a month by a key.
#[derive(SimpleObject)]
pub(crate) struct MonthUse {
    /// The UTC calendar month: `2026-11`.
    month: String,
    /// Requests that count against the quota: the admitted ones without those given back.
    used: Count,
    /// Requests admitted.
    charged: Count,
    /// Admitted requests given back, because the gateway or the bank failed.
    refunded: Count,
    /// Rest of the quota; null without a cap.
    remaining: Option<Count>,
    /// End of the month, when the quota begins anew.
    resets_at: DateTime,
}

impl From<&KeyOverview> for MonthUse {
    fn from(overview: &KeyOverview) -> Self {
        Self {
            month: overview.month.to_string(),
            used: Count(overview.used.net()),
            charged: Count(overview.used.charged),
            refunded: Count(overview.used.refunded),
            remaining: overview.remaining().map(Count),
            resets_at: overview.month.end().into(),
        }
    }
}

/// Rest of a key's limit a minute.
#[derive(SimpleObject)]
pub(crate) struct Window {
    /// Requests allowed in any 60 seconds.
    limit: u32,
    /// Requests that would be admitted now.
    remaining: u32,
    /// Whole seconds until the next request returns, rounded up.
    reset_seconds: u32,
}

impl From<MinuteStatus> for Window {
    fn from(minute: MinuteStatus) -> Self {
        Self {
            limit: minute.limit,
            remaining: minute.remaining,
            reset_seconds: seconds(minute.reset),
        }
    }
}

connection! {
    /// One page of a list of keys.
    KeyConnection,
    /// A key and its place in the list.
    KeyEdge of Key,
    total_count: Count =
        /// Keys of the whole list, all pages together.
}

impl KeyConnection {
    pub(super) fn new(page: Page<KeyOverview>, request: &PageRequest) -> Result<Self, FieldError> {
        Ok(Self {
            page_info: PageInfo::new(&page, request),
            total_count: Count(page.total.ok_or(FieldError::TotalMissing)?),
            edges: KeyEdge::of(page.items, Key::from),
        })
    }
}
