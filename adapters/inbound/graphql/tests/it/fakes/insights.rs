//! Fake of `Insights`.

use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::audit::{Action, AuditContext, AuditEntry, AuditFilter, AuditPage, FieldChange};
use domain::customer::{Customer, CustomerOverview};
use domain::key::{Environment, KeyOverview};
use domain::latency::{Latencies, Percentiles};
use domain::limits::{LimitStatus, MinuteStatus, MonthlyUse};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::BankBudget;
use domain::page::{Cursor, Page, PageRequest};
use domain::participant::Catalogue;
use domain::request::{RequestId, RequestQuery, RequestRecord};
use domain::transfer::Banks;
use domain::usage::{Breakdown, Totals, UsageQuery};
use ports::inbound::{
    BankHealth, BankState, Caller, Insights, KeyError, RequestedScope, Series, SeriesLabel,
    UsageReport,
};
use uuid::Uuid;

use super::{Shared, customer, customer_id, key_id, now, only_admins, owner};

pub(crate) struct FakeInsights {
    pub(crate) shared: Shared,
}

impl Default for FakeInsights {
    fn default() -> Self {
        Self {
            shared: Shared::new(),
        }
    }
}

fn page<T>(
    items: Vec<T>,
    ask: &PageRequest,
    total: Option<u64>,
    id: impl Fn(&T) -> Uuid,
) -> Page<T> {
    let items = items
        .into_iter()
        .map(|item| (Cursor::at(now(), id(&item)), item))
        .collect();
    Page::of(items, ask.first, total)
}

fn latencies() -> Latencies {
    let mut latencies = Latencies::default();
    latencies.record(Duration::from_millis(100));
    latencies
}

#[async_trait]
impl Insights for FakeInsights {
    async fn customer(&self, caller: &Caller) -> Result<Customer, KeyError> {
        self.shared.called("customer").await?;
        Ok(customer(caller.owner.clone()))
    }

    async fn limit_status(&self, key: &KeyOverview) -> Result<LimitStatus, KeyError> {
        self.shared.called("limit_status").await?;
        let limit = key.key.limits.per_minute();
        Ok(LimitStatus {
            minute: MinuteStatus {
                limit,
                remaining: limit - 1,
                reset: Duration::from_millis(59_001),
            },
            month: None,
        })
    }

    async fn usage(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        ask: &UsageQuery,
    ) -> Result<UsageReport, KeyError> {
        self.shared.called("usage").await?;
        only_admins(caller, reach)?;
        if ask.key == Some(key_id(121)) && reach == RequestedScope::Own {
            return Err(KeyError::NotFound);
        }
        let slots: Vec<_> = ask.period.slots().collect();
        let labels = match ask.breakdown {
            Breakdown::Total => vec![SeriesLabel::Total],
            Breakdown::Key => vec![SeriesLabel::Key(key_id(1)), SeriesLabel::Others],
            Breakdown::Endpoint => vec![SeriesLabel::Endpoint(Endpoint::XmlAuto)],
            Breakdown::Outcome => vec![
                SeriesLabel::Outcome(Outcome::Delivered),
                SeriesLabel::Outcome(Outcome::RateLimited),
            ],
        };
        let mut totals = Totals::default();
        totals.add(Outcome::Delivered, 7, &latencies());
        totals.add(Outcome::RateLimited, 2, &Latencies::default());
        let series = |label| Series {
            label,
            counts: (0..slots.len() as u64).collect(),
        };
        Ok(UsageReport {
            series: labels.into_iter().map(series).collect(),
            slots,
            totals,
        })
    }

    async fn requests(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        ask: &RequestQuery,
    ) -> Result<Page<RequestRecord>, KeyError> {
        self.shared.called("requests").await?;
        only_admins(caller, reach)?;
        let bank = |code| Catalogue::embedded().parse_code(code).unwrap();
        let record = |number: u128, outcome, banks| RequestRecord {
            id: key_id(900 + number).0,
            request_id: RequestId::parse(&format!("req-{number}")).unwrap(),
            key: key_id(1),
            endpoint: Endpoint::XmlAuto,
            outcome,
            banks,
            at: now() - TimeDelta::minutes(1),
            duration: Duration::from_micros(812_900),
            bank_time: Some(Duration::from_millis(700)),
        };
        let banks = Banks {
            issuer: bank("40012"),
            receiver: bank("90638"),
        };
        let records = vec![
            record(1, Outcome::Delivered, Some(banks)),
            RequestRecord {
                bank_time: None,
                ..record(2, Outcome::RateLimited, None)
            },
        ];
        Ok(page(records, &ask.page, None, |record| record.id))
    }

    async fn bank(&self, environment: Environment) -> BankHealth {
        self.shared.called("bank").await.ok();
        let spans = Percentiles {
            p50: Duration::from_millis(200),
            p95: Duration::from_millis(900),
            p99: Duration::from_micros(1_500_500),
        };
        match environment {
            Environment::Live => BankHealth {
                state: BankState::Degraded,
                lookups: 12,
                success_rate: Some(0.75),
                latency: Some(spans),
                budget: Some(BankBudget {
                    per_minute: 30,
                    remaining: 4,
                    paused_for: None,
                }),
            },
            Environment::Test => BankHealth {
                state: BankState::Unknown,
                lookups: 0,
                success_rate: None,
                latency: None,
                budget: None,
            },
        }
    }

    async fn customers(
        &self,
        caller: &Caller,
        text: Option<&str>,
        ask: &PageRequest,
    ) -> Result<Page<CustomerOverview>, KeyError> {
        self.shared.called("customers").await?;
        only_admins(caller, RequestedScope::All)?;
        let overview = |subject: &&str| CustomerOverview {
            customer: customer(owner(subject)),
            active_keys: 3,
            month: Month::of(now()),
            used: MonthlyUse {
                charged: 9,
                refunded: 1,
            },
        };
        let found: Vec<_> = ["member", "other"]
            .iter()
            .filter(|subject| text.is_none_or(|text| subject.contains(text)))
            .map(overview)
            .collect();
        let total = Some(found.len() as u64);
        Ok(page(found, ask, total, |found| found.customer.id.0))
    }

    async fn audit(
        &self,
        caller: &Caller,
        _: &AuditFilter,
        ask: &PageRequest,
    ) -> Result<AuditPage, KeyError> {
        self.shared.called("audit").await?;
        only_admins(caller, RequestedScope::All)?;
        let entry = AuditEntry {
            act: AuditContext {
                id: key_id(800).0,
                at: now(),
                actor: owner("admin"),
                request_id: RequestId::parse("req-3").unwrap(),
            },
            action: Action::LimitsSet,
            customer: customer_id("member"),
            key: Some(key_id(1)),
            changes: vec![FieldChange {
                field: "monthly_quota".to_owned(),
                before: Some("1000".to_owned()),
                after: Some("none".to_owned()),
            }],
        };
        Ok(page(vec![entry], ask, None, |entry| entry.act.id))
    }
}
