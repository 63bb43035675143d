//! Inbound ports that behave, and count how often they are called.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{Act, Action, AuditEntry, FieldChange};
use domain::customer::{Customer, CustomerId, ExistingKeys, Role};
use domain::key::{
    ApiKey, Environment, FullKey, Grace, KeyId, KeyName, KeyPrefix, KeyStatus, Owner,
};
use domain::latency::{Latencies, Percentiles};
use domain::limits::{Limits, LimitsChange, MinuteStanding, MonthlyUse, Plan, Standing};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Cursor, Direction, Page, PageAsk};
use domain::participant::Catalogue;
use domain::request::RequestId;
use domain::usage::{Breakdown, Totals};
use ports::inbound::{
    AuditFilter, AuditPage, BankBudget, BankHealth, BankState, Banks, Caller, CreatedKey,
    CustomerOverview, Insights, KeyAdministration, KeyError, KeyListing, KeyOrder, KeyOverview,
    Person, Reach, RequestListing, RequestRecord, RevokedKeys, RotatedKey, Series, SeriesLabel,
    Session, SessionError, Sessions, SignIn, SignInAnswer, SignInError, UsageAsk, UsageReport,
};
use ports::outbound::{Clock, Random};
use uuid::Uuid;

pub(crate) const SECRET: &str = "cep_live_NewKey01.ABCDEFGHIJKLMNOPQRSTUVWX";
/// What a driver might say, and nobody outside may hear.
pub(crate) const DRIVERS_TEXT: &str = "near \"SELECT\": no such table: api_key in /var/lib/cep.db";

pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-21T06:23:27Z".parse().unwrap()
}

/// A clock whose wall stands still, and which measures spans by the runtime's own time.
pub(crate) struct TestClock(tokio::time::Instant);

impl TestClock {
    pub(crate) fn start() -> Self {
        Self(tokio::time::Instant::now())
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        now()
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

pub(crate) struct NoRandom;

impl Random for NoRandom {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

/// Sessions whose token is the name of a person: `member`, `admin` or `other`.
pub(crate) struct FakeSessions;

pub(crate) fn owner(subject: &str) -> Owner {
    Owner {
        issuer: "https://id.example".to_owned(),
        subject: subject.to_owned(),
    }
}

#[async_trait]
impl Sessions for FakeSessions {
    async fn begin(&self, _: &str) -> Result<SignIn, SignInError> {
        unreachable!("the API signs nobody in")
    }

    async fn finish(&self, _: SignInAnswer<'_>) -> Result<Session, SignInError> {
        unreachable!("the API signs nobody in")
    }

    async fn person(&self, token: &str) -> Result<Person, SessionError> {
        let role = match token {
            "admin" => Role::Admin,
            "member" | "other" => Role::Member,
            _ => {
                let cause = Arc::new(std::io::Error::other("forged"));
                return Err(SessionError::Invalid { cause });
            }
        };
        Ok(Person {
            owner: owner(token),
            role,
            display_name: Some(format!("Demo {token}")),
            expires_at: now() + TimeDelta::hours(1),
        })
    }

    async fn end(&self, _: &str) -> Result<Option<String>, SessionError> {
        unreachable!("the API signs nobody out")
    }
}

/// How a fake feels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Fine,
    /// Its store fails.
    Broken,
    Panicking,
    /// It never answers.
    Stuck,
}

/// What both fakes share.
pub(crate) struct Shared {
    calls: Mutex<BTreeMap<&'static str, usize>>,
    mood: Mutex<Mood>,
}

impl Shared {
    fn new() -> Self {
        Self {
            calls: Mutex::default(),
            mood: Mutex::new(Mood::Fine),
        }
    }

    pub(crate) fn feel(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// The calls since the last look, by method.
    pub(crate) fn calls(&self) -> BTreeMap<&'static str, usize> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    async fn called(&self, method: &'static str) -> Result<(), KeyError> {
        *self.calls.lock().unwrap().entry(method).or_default() += 1;
        let mood = *self.mood.lock().unwrap();
        match mood {
            Mood::Fine => Ok(()),
            Mood::Broken => Err(KeyError::Store(Arc::new(std::io::Error::other(
                DRIVERS_TEXT,
            )))),
            Mood::Panicking => panic!("a bug"),
            Mood::Stuck => std::future::pending().await,
        }
    }
}

fn only_admins(caller: &Caller, reach: Reach) -> Result<(), KeyError> {
    match (reach, caller.role) {
        (Reach::Own, _) | (_, Role::Admin) => Ok(()),
        (Reach::All | Reach::Of(_), Role::Member) => Err(KeyError::Forbidden),
    }
}

pub(crate) fn key_id(number: u128) -> KeyId {
    KeyId(Uuid::from_u128(
        0x0198_0000_0000_7000_8000_0000_0000_0000 + number,
    ))
}

pub(crate) fn customer_id(subject: &str) -> CustomerId {
    let number = match subject {
        "member" => 1,
        "admin" => 2,
        _ => 3,
    };
    CustomerId(Uuid::from_u128(
        0x0197_0000_0000_7000_8000_0000_0000_0000 + number,
    ))
}

fn customer(owner: Owner) -> Customer {
    Customer {
        id: customer_id(&owner.subject),
        owner,
        plan: Plan::Startup,
        created_at: now() - TimeDelta::days(30),
    }
}

fn overview(number: u128, subject: &str) -> KeyOverview {
    let environment = if number.is_multiple_of(2) {
        "test"
    } else {
        "live"
    };
    KeyOverview {
        key: ApiKey {
            id: key_id(number),
            customer: customer_id(subject),
            owner: owner(subject),
            name: KeyName::parse(&format!("till {number}")).unwrap(),
            prefix: KeyPrefix::parse(&format!("cep_{environment}_Key{number:05}")).unwrap(),
            limits: Plan::Startup.limits(),
            created_at: now() - TimeDelta::days(20)
                + TimeDelta::seconds(i64::try_from(number).unwrap()),
            retires_at: None,
            revoked_at: None,
            last_used_at: Some(now() - TimeDelta::minutes(3)),
        },
        month: Month::of(now()),
        used: MonthlyUse {
            charged: 830,
            refunded: 5,
        },
    }
}

/// Keys 1 to 120 are the member's, 121 is another's. Key 2 is revoked, key 3 retires, key 4 has a
/// successor, key 5 has no cap.
pub(crate) struct FakeKeys {
    pub(crate) shared: Shared,
    keys: Mutex<Vec<KeyOverview>>,
}

impl Default for FakeKeys {
    fn default() -> Self {
        let mut keys: Vec<_> = (1..=120).map(|number| overview(number, "member")).collect();
        keys.push(overview(121, "other"));
        keys[1].key.revoked_at = Some(now() - TimeDelta::hours(2));
        keys[2].key.retires_at = Some(now() + TimeDelta::hours(24));
        keys[3].key.retires_at = Some(now() + TimeDelta::hours(1));
        keys[4].key.limits = Limits::new(600, None).unwrap();
        keys[4].key.last_used_at = None;
        Self {
            shared: Shared::new(),
            keys: Mutex::new(keys),
        }
    }
}

impl FakeKeys {
    fn change(
        &self,
        caller: &Caller,
        reach: Reach,
        id: KeyId,
        change: impl FnOnce(&mut ApiKey) -> Result<(), KeyError>,
    ) -> Result<KeyOverview, KeyError> {
        only_admins(caller, reach)?;
        let mut keys = self.keys.lock().unwrap();
        let key = keys.iter_mut().find(|overview| {
            overview.key.id == id && (reach != Reach::Own || overview.key.owner == caller.owner)
        });
        let overview = key.ok_or(KeyError::NotFound)?;
        change(&mut overview.key)?;
        Ok(overview.clone())
    }
}

#[async_trait]
impl KeyAdministration for FakeKeys {
    async fn create(&self, caller: &Caller, order: KeyOrder) -> Result<CreatedKey, KeyError> {
        self.shared.called("create").await?;
        if order.name.as_str() == "one too many" {
            return Err(KeyError::TooManyKeys { most: 1_000 });
        }
        let mut key = overview(500, &caller.owner.subject);
        key.key.name = order.name;
        key.key.prefix = KeyPrefix::parse("cep_live_NewKey01").unwrap();
        key.key.last_used_at = None;
        key.used = MonthlyUse::default();
        let secret = FullKey::parse(SECRET).unwrap();
        assert!(order.limits.is_none() && order.environment == Environment::Live);
        Ok(CreatedKey { key, secret })
    }

    async fn list(
        &self,
        caller: &Caller,
        reach: Reach,
        ask: &KeyListing,
    ) -> Result<Page<KeyOverview>, KeyError> {
        self.shared.called("list").await?;
        only_admins(caller, reach)?;
        let after = ask.page.after.as_ref();
        let after = after.map(|cursor| (cursor.millis(), cursor.id));
        if after.as_ref().is_some_and(|(millis, _)| millis.is_err()) {
            return Err(KeyError::Cursor);
        }
        let keys = self.keys.lock().unwrap();
        let mut found: Vec<_> = keys
            .iter()
            .filter(|overview| match reach {
                Reach::Own => overview.key.owner == caller.owner,
                Reach::All => true,
                Reach::Of(customer) => overview.key.customer == customer,
            })
            .filter(|overview| {
                let filter = &ask.filter;
                let statuses = &filter.statuses;
                let name = overview.key.name.as_str();
                (statuses.is_empty() || statuses.contains(&overview.key.status()))
                    && filter
                        .environment
                        .is_none_or(|e| e == overview.key.prefix.environment())
                    && filter.text.as_ref().is_none_or(|text| name.contains(text))
            })
            .cloned()
            .collect();
        if ask.direction == Direction::Descending {
            found.reverse();
        }
        let total = found.len() as u64;
        let skipped = after.map_or(0, |(_, id)| {
            1 + found.iter().position(|key| key.key.id.0 == id).unwrap()
        });
        let items = found.into_iter().skip(skipped);
        let items = items
            .take(ask.page.first.get() as usize + 1)
            .map(|key| (Cursor::at(key.key.created_at, key.key.id.0), key));
        Ok(Page::of(items.collect(), ask.page.first, Some(total)))
    }

    async fn own(&self, _: &Caller, _: RevokedKeys) -> Result<Vec<ApiKey>, KeyError> {
        unreachable!("the API lists page by page")
    }

    async fn find(
        &self,
        caller: &Caller,
        reach: Reach,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        self.shared.called("find").await?;
        self.change(caller, reach, id, |_| Ok(()))
    }

    async fn rename(
        &self,
        caller: &Caller,
        reach: Reach,
        id: KeyId,
        name: KeyName,
    ) -> Result<KeyOverview, KeyError> {
        self.shared.called("rename").await?;
        self.change(caller, reach, id, |key| {
            key.name = name;
            Ok(())
        })
    }

    async fn revoke(
        &self,
        caller: &Caller,
        reach: Reach,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        self.shared.called("revoke").await?;
        self.change(caller, reach, id, |key| {
            key.revoked_at = key.revoked_at.or(Some(now()));
            Ok(())
        })
    }

    async fn rotate(
        &self,
        caller: &Caller,
        id: KeyId,
        grace: Grace,
    ) -> Result<RotatedKey, KeyError> {
        self.shared.called("rotate").await?;
        let old = self.change(caller, Reach::Own, id, |key| {
            match key.status() {
                KeyStatus::Revoked => return Err(KeyError::Revoked),
                KeyStatus::Retiring => return Err(KeyError::AlreadyRotated),
                KeyStatus::Active => {}
            }
            key.retires_at = Some(grace.end(now()));
            Ok(())
        })?;
        let mut key = overview(501, &caller.owner.subject);
        key.key.name = old.key.name.clone();
        let secret = FullKey::parse(SECRET).unwrap();
        let new = CreatedKey { key, secret };
        Ok(RotatedKey { old, new })
    }

    async fn set_limits(
        &self,
        caller: &Caller,
        id: KeyId,
        change: LimitsChange,
    ) -> Result<KeyOverview, KeyError> {
        self.shared.called("set_limits").await?;
        self.change(caller, Reach::All, id, |key| {
            key.limits = change.apply(key.limits);
            Ok(())
        })
    }

    async fn set_plan(
        &self,
        caller: &Caller,
        id: CustomerId,
        plan: Plan,
        _: ExistingKeys,
    ) -> Result<Customer, KeyError> {
        self.shared.called("set_plan").await?;
        only_admins(caller, Reach::All)?;
        if id != customer_id("member") {
            return Err(KeyError::NotFound);
        }
        Ok(Customer {
            plan,
            ..customer(owner("member"))
        })
    }
}

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

fn page<T>(items: Vec<T>, ask: &PageAsk, total: Option<u64>, id: impl Fn(&T) -> Uuid) -> Page<T> {
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

    async fn standing(&self, key: &KeyOverview) -> Result<Standing, KeyError> {
        self.shared.called("standing").await?;
        let limit = key.key.limits.per_minute();
        Ok(Standing {
            minute: MinuteStanding {
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
        reach: Reach,
        ask: &UsageAsk,
    ) -> Result<UsageReport, KeyError> {
        self.shared.called("usage").await?;
        only_admins(caller, reach)?;
        if ask.key == Some(key_id(121)) && reach == Reach::Own {
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
        reach: Reach,
        ask: &RequestListing,
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
        ask: &PageAsk,
    ) -> Result<Page<CustomerOverview>, KeyError> {
        self.shared.called("customers").await?;
        only_admins(caller, Reach::All)?;
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
        ask: &PageAsk,
    ) -> Result<AuditPage, KeyError> {
        self.shared.called("audit").await?;
        only_admins(caller, Reach::All)?;
        let entry = AuditEntry {
            act: Act {
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
