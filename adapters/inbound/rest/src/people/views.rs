//! JSON views of the routes that need a session. Members are serialised in order of declaration.

use application::{Series, SeriesLabel, UsageReport};
use chrono::{DateTime, SecondsFormat, Utc};
use domain::audit::{AuditEntry, FieldChange};
use domain::keys::{ApiKey, KeyOverview};
use domain::latency::Percentiles;
use domain::limits::MonthlyUse;
use domain::month::Month;
use domain::people::customer::{Customer, CustomerOverview, Owner};
use domain::usage::{Period, Totals};
use serde::Serialize;
use utoipa::ToSchema;

use crate::openapi::schemas;

/// Formats an instant as RFC 3339 in UTC with milliseconds.
fn text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// A key, as its owner sees it.
#[derive(Serialize, ToSchema)]
#[schema(as = ApiKey)]
pub(crate) struct KeyView {
    #[schema(format = "uuid")]
    id: String,
    /// A label, 1 to 100 characters; blanks around it are dropped.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// The public part.
    #[schema(pattern = "^cep_(live|test)_[0-9A-Za-z]{8}$")]
    prefix: String,
    #[schema(schema_with = schemas::per_minute)]
    per_minute: u32,
    #[schema(required = true, schema_with = schemas::monthly_quota)]
    monthly_quota: Option<u64>,
    /// Time of its revocation; null while it is active.
    #[schema(required = true, format = "date-time")]
    revoked_at: Option<String>,
    #[schema(format = "date-time")]
    created_at: String,
}

impl KeyView {
    pub(crate) fn new(key: &ApiKey) -> Self {
        Self {
            id: key.id.to_string(),
            name: key.name.as_str().to_owned(),
            prefix: key.prefix.as_str().to_owned(),
            per_minute: key.limits.per_minute(),
            monthly_quota: key.limits.monthly_quota(),
            revoked_at: key.revoked_at.map(text),
            created_at: text(key.created_at),
        }
    }
}

/// A subject of an identity provider.
#[derive(Serialize, ToSchema)]
#[schema(as = Owner)]
pub(crate) struct OwnerView {
    /// The identity provider.
    issuer: String,
    /// Subject at that issuer.
    subject: String,
}

impl OwnerView {
    fn new(owner: &Owner) -> Self {
        Self {
            issuer: owner.issuer.clone(),
            subject: owner.subject.clone(),
        }
    }
}

/// Use of a month.
#[derive(Serialize, ToSchema)]
#[schema(as = MonthlyUse)]
pub(crate) struct MonthView {
    /// The UTC calendar month.
    #[schema(pattern = "^[0-9]{4}-[0-9]{2}$")]
    month: String,
    /// Requests that count against the quota.
    used: u64,
    /// Requests admitted.
    charged: u64,
    /// Those given back, because the service or the bank failed.
    refunded: u64,
}

impl MonthView {
    fn new(month: Month, used: MonthlyUse) -> Self {
        Self {
            month: month.to_string(),
            used: used.net(),
            charged: used.charged,
            refunded: used.refunded,
        }
    }
}

/// A key to an admin.
#[derive(Serialize, ToSchema)]
#[schema(as = AdminKey)]
pub(crate) struct AdminKeyView {
    #[serde(flatten)]
    key: KeyView,
    #[schema(format = "uuid")]
    account_id: String,
    owner: OwnerView,
    #[schema(schema_with = schemas::environment)]
    env: &'static str,
    #[schema(schema_with = schemas::key_state)]
    state: &'static str,
    /// Time at which it revokes itself, because it was rotated.
    #[schema(required = true, format = "date-time")]
    retires_at: Option<String>,
    /// To the minute.
    #[schema(required = true, format = "date-time")]
    last_used_at: Option<String>,
    month: MonthView,
}

impl AdminKeyView {
    pub(crate) fn new(overview: &KeyOverview) -> Self {
        let key = &overview.key;
        Self {
            key: KeyView::new(key),
            account_id: key.customer.to_string(),
            owner: OwnerView::new(&key.owner),
            env: key.prefix.environment().name(),
            state: key.status().name(),
            retires_at: key.retires_at.map(text),
            last_used_at: key.last_used_at.map(text),
            month: MonthView::new(overview.month, overview.used),
        }
    }
}

/// An account.
#[derive(Serialize, ToSchema)]
#[schema(as = Account)]
pub(crate) struct AccountView {
    #[schema(format = "uuid")]
    id: String,
    owner: OwnerView,
    #[schema(schema_with = schemas::plan)]
    plan: &'static str,
    #[schema(format = "date-time")]
    created_at: String,
}

impl AccountView {
    pub(crate) fn new(customer: &Customer) -> Self {
        Self {
            id: customer.id.to_string(),
            owner: OwnerView::new(&customer.owner),
            plan: customer.plan.name(),
            created_at: text(customer.created_at),
        }
    }
}

/// An account, and what it has.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountOverview)]
pub(crate) struct AccountOverviewView {
    #[serde(flatten)]
    account: AccountView,
    /// Its keys that aren't revoked.
    active_keys: u64,
    month: MonthView,
}

impl AccountOverviewView {
    pub(crate) fn new(overview: &CustomerOverview) -> Self {
        Self {
            account: AccountView::new(&overview.customer),
            active_keys: overview.active_keys,
            month: MonthView::new(overview.month, overview.used),
        }
    }
}

/// Use over time.
#[derive(Serialize, ToSchema)]
#[schema(as = Usage)]
pub(crate) struct UsageView {
    #[schema(schema_with = schemas::granularity)]
    granularity: &'static str,
    #[schema(schema_with = schemas::slots)]
    slots: Vec<String>,
    series: Vec<SeriesView>,
    totals: TotalsView,
}

#[derive(Serialize, ToSchema)]
#[schema(as = UsageSeries)]
struct SeriesView {
    /// `total`, a key's id, an endpoint, an outcome, or `others`.
    label: String,
    /// Requests in each slot.
    counts: Vec<u64>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = UsageTotals)]
struct TotalsView {
    /// All of them.
    requests: u64,
    /// Those that delivered a proof.
    delivered: u64,
    /// Those that a limit refused.
    refused: u64,
    /// Those that the service or the bank failed.
    failed: u64,
    /// The share of admitted requests that delivered a proof, 0 to 1.
    #[schema(required = true, minimum = 0, maximum = 1)]
    success_rate: Option<f64>,
    /// Milliseconds that requests took which no limit refused, within a factor of two; null when
    /// there were none.
    #[schema(required = true, inline)]
    latency_ms: Option<LatencyView>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Latency)]
struct LatencyView {
    p50: f64,
    p95: f64,
    p99: f64,
}

impl UsageView {
    pub(crate) fn new(period: Period, report: &UsageReport) -> Self {
        Self {
            granularity: period.granularity().name(),
            slots: report.slots.iter().copied().map(text).collect(),
            series: report.series.iter().map(SeriesView::new).collect(),
            totals: TotalsView::new(&report.totals),
        }
    }
}

impl SeriesView {
    fn new(series: &Series) -> Self {
        Self {
            label: match series.label {
                SeriesLabel::Total => "total".to_owned(),
                SeriesLabel::Key(id) => id.to_string(),
                SeriesLabel::Endpoint(endpoint) => endpoint.name().to_owned(),
                SeriesLabel::Outcome(outcome) => outcome.name().to_owned(),
                SeriesLabel::Others => "others".to_owned(),
            },
            counts: series.counts.clone(),
        }
    }
}

impl TotalsView {
    fn new(totals: &Totals) -> Self {
        Self {
            requests: totals.requests,
            delivered: totals.delivered,
            refused: totals.refused,
            failed: totals.failed,
            success_rate: totals.success_rate(),
            latency_ms: totals.latencies.percentiles().map(LatencyView::new),
        }
    }
}

impl LatencyView {
    fn new(percentiles: Percentiles) -> Self {
        Self {
            p50: web::milliseconds(percentiles.p50),
            p95: web::milliseconds(percentiles.p95),
            p99: web::milliseconds(percentiles.p99),
        }
    }
}

/// One entry of the audit log.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub(crate) struct AuditView {
    #[schema(format = "uuid")]
    id: String,
    #[schema(format = "date-time")]
    at: String,
    actor: OwnerView,
    /// The request's id.
    request_id: String,
    #[schema(schema_with = schemas::action)]
    action: &'static str,
    #[schema(format = "uuid")]
    account_id: String,
    /// Null for an account's plan.
    #[schema(required = true, format = "uuid")]
    key_id: Option<String>,
    #[schema(inline)]
    changes: Vec<ChangeView>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = AuditChange)]
struct ChangeView {
    /// The field.
    field: String,
    /// Its value before.
    #[schema(required = true)]
    before: Option<String>,
    /// Its value after.
    #[schema(required = true)]
    after: Option<String>,
}

impl AuditView {
    pub(crate) fn new(entry: &AuditEntry) -> Self {
        let change = |change: &FieldChange| ChangeView {
            field: change.field.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
        };
        Self {
            id: entry.act.id.to_string(),
            at: text(entry.act.at),
            actor: OwnerView::new(&entry.act.actor),
            request_id: entry.act.request_id.to_string(),
            action: entry.action.name(),
            account_id: entry.customer.to_string(),
            key_id: entry.key.map(|id| id.to_string()),
            changes: entry.changes.iter().map(change).collect(),
        }
    }
}
