//! What people's routes answer, member by member in the order in which it is written.

use chrono::{DateTime, SecondsFormat, Utc};
use domain::audit::{AuditEntry, FieldChange};
use domain::customer::{Customer, CustomerOverview};
use domain::key::{ApiKey, KeyOverview, Owner};
use domain::latency::Percentiles;
use domain::limits::MonthlyUse;
use domain::month::Month;
use domain::usage::{Period, Totals};
use ports::inbound::{CreatedKey, Series, SeriesLabel, UsageReport};
use serde::Serialize;

/// An instant as it is written everywhere: RFC 3339 in UTC, to the millisecond.
fn text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// A key, as its owner sees it.
#[derive(Serialize)]
pub(crate) struct KeyView {
    id: String,
    name: String,
    prefix: String,
    per_minute: u32,
    monthly_quota: Option<u64>,
    revoked_at: Option<String>,
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

/// A key that was just made: the only answer with its secret.
#[derive(Serialize)]
pub(crate) struct CreatedKeyView<'a> {
    id: String,
    prefix: &'a str,
    api_key: &'a str,
}

impl<'a> CreatedKeyView<'a> {
    pub(crate) fn new(created: &'a CreatedKey) -> Self {
        let key = &created.key.key;
        Self {
            id: key.id.to_string(),
            prefix: key.prefix.as_str(),
            api_key: created.secret.reveal(),
        }
    }
}

/// A subject of an identity provider.
#[derive(Serialize)]
pub(crate) struct OwnerView {
    issuer: String,
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

/// What was used of a month.
#[derive(Serialize)]
pub(crate) struct MonthView {
    month: String,
    used: u64,
    charged: u64,
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
#[derive(Serialize)]
pub(crate) struct AdminKeyView {
    #[serde(flatten)]
    key: KeyView,
    account_id: String,
    owner: OwnerView,
    env: &'static str,
    state: &'static str,
    retires_at: Option<String>,
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
#[derive(Serialize)]
pub(crate) struct AccountView {
    id: String,
    owner: OwnerView,
    plan: &'static str,
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
#[derive(Serialize)]
pub(crate) struct AccountOverviewView {
    #[serde(flatten)]
    account: AccountView,
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
#[derive(Serialize)]
pub(crate) struct UsageView {
    granularity: &'static str,
    slots: Vec<String>,
    series: Vec<SeriesView>,
    totals: TotalsView,
}

#[derive(Serialize)]
struct SeriesView {
    label: String,
    counts: Vec<u64>,
}

#[derive(Serialize)]
struct TotalsView {
    requests: u64,
    delivered: u64,
    refused: u64,
    failed: u64,
    success_rate: Option<f64>,
    latency_ms: Option<LatencyView>,
}

#[derive(Serialize)]
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
#[derive(Serialize)]
pub(crate) struct AuditView {
    id: String,
    at: String,
    actor: OwnerView,
    request_id: String,
    action: &'static str,
    account_id: String,
    key_id: Option<String>,
    changes: Vec<ChangeView>,
}

#[derive(Serialize)]
struct ChangeView {
    field: String,
    before: Option<String>,
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
