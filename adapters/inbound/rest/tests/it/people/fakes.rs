//! People with sessions, keys that belong to them, and a log of what was asked.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{Act, Action, AuditEntry, FieldChange};
use domain::customer::{Customer, CustomerId, ExistingKeys, Role};
use domain::key::{ApiKey, Environment, FullKey, Grace, KeyId, KeyName, KeyPrefix, Owner};
use domain::latency::Latencies;
use domain::limits::{Limits, LimitsChange, MonthlyUse, Plan, Standing};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Cursor, Page, PageAsk};
use domain::request::RequestId;
use domain::usage::{Breakdown, Totals};
use ports::inbound::{
    AuditFilter, AuditPage, BankHealth, Caller, CreatedKey, CustomerOverview, Insights,
    KeyAdministration, KeyError, KeyListing, KeyOrder, KeyOverview, Person, Reach, RequestListing,
    RequestRecord, RevokedKeys, RotatedKey, Series, SeriesLabel, Session, SessionError, Sessions,
    SignIn, SignInAnswer, SignInError, UsageAsk, UsageReport,
};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::fakes::now;

pub(crate) const MEMBER: &str = "the-members-token";
pub(crate) const OTHER_MEMBER: &str = "the-other-members-token";
pub(crate) const ADMIN: &str = "the-admins-token";
pub(crate) const UNCHECKED: &str = "a-token-while-the-provider-is-down";

pub(crate) const ACTIVE_KEY: &str = "0198f3c2-7d3e-7000-8000-000000000001";
pub(crate) const REVOKED_KEY: &str = "0198f3c2-7d3e-7000-8000-000000000002";
pub(crate) const OTHERS_KEY: &str = "0198f3c2-7d3e-7000-8000-000000000003";
pub(crate) const ACCOUNT: &str = "0198f3c2-7d3e-7000-8000-0000000000a1";
pub(crate) const OTHER_ACCOUNT: &str = "0198f3c2-7d3e-7000-8000-0000000000a2";

pub(crate) const NEW_SECRET: &str = "cep_test_NewKey12.abcdefghijklABCDEFGHIJKL";

fn id(text: &str) -> Uuid {
    text.parse().unwrap()
}

fn owner(subject: &str) -> Owner {
    Owner {
        issuer: "https://id.example".to_owned(),
        subject: subject.to_owned(),
    }
}

/// Knows three tokens.
pub(crate) struct FakeSessions;

#[async_trait]
impl Sessions for FakeSessions {
    async fn begin(&self, _: &str) -> Result<SignIn, SignInError> {
        unreachable!("no route of this crate begins a sign-in")
    }

    async fn finish(&self, _: SignInAnswer<'_>) -> Result<Session, SignInError> {
        unreachable!("no route of this crate ends a sign-in")
    }

    async fn person(&self, token: &str) -> Result<Person, SessionError> {
        let (subject, role) = match token {
            MEMBER => ("member", Role::Member),
            OTHER_MEMBER => ("other", Role::Member),
            ADMIN => ("admin", Role::Admin),
            UNCHECKED => {
                let cause = std::io::Error::other("a synthetic cause");
                return Err(SessionError::Unavailable(Arc::new(cause)));
            }
            _ => {
                let cause = Arc::new(std::io::Error::other("a synthetic cause"));
                return Err(SessionError::Invalid { cause });
            }
        };
        Ok(Person {
            owner: owner(subject),
            role,
            display_name: None,
            expires_at: now() + TimeDelta::hours(1),
        })
    }

    async fn end(&self, _: &str) -> Result<Option<String>, SessionError> {
        unreachable!("no route of this crate ends a session")
    }
}

/// Keys, customers and what was asked about them.
pub(crate) struct FakePeople {
    keys: Mutex<Vec<KeyOverview>>,
    /// What every question is answered with, once it is set.
    pub(crate) trouble: Mutex<Option<KeyError>>,
    /// Each question that reached a port, as debug text.
    pub(crate) asked: Mutex<Vec<String>>,
    /// Revocations wait for one of these each.
    pub(crate) turns: Semaphore,
}

impl Default for FakePeople {
    fn default() -> Self {
        let key = |id_text: &str, account: &str, subject: &str, name: &str, prefix: &str| ApiKey {
            id: KeyId(id(id_text)),
            customer: CustomerId(id(account)),
            owner: owner(subject),
            name: KeyName::parse(name).unwrap(),
            prefix: KeyPrefix::parse(prefix).unwrap(),
            limits: Plan::Startup.limits(),
            created_at: now() - TimeDelta::days(3),
            retires_at: None,
            revoked_at: None,
            last_used_at: None,
        };
        let active = ApiKey {
            last_used_at: Some(now() - TimeDelta::minutes(2)),
            ..key(
                ACTIVE_KEY,
                ACCOUNT,
                "member",
                "till 4 \"ñ\"",
                "cep_live_AbCd1234",
            )
        };
        let revoked = ApiKey {
            created_at: now() - TimeDelta::days(9),
            revoked_at: Some(now() - TimeDelta::days(1)),
            ..key(REVOKED_KEY, ACCOUNT, "member", "old", "cep_test_AbCd1234")
        };
        let others = ApiKey {
            limits: Limits::new(600, None).unwrap(),
            retires_at: Some(now() + TimeDelta::hours(4)),
            ..key(
                OTHERS_KEY,
                OTHER_ACCOUNT,
                "other",
                "till 5",
                "cep_live_EfGh5678",
            )
        };
        let overview = |key| KeyOverview {
            key,
            month: Month::of(now()),
            used: MonthlyUse {
                charged: 12,
                refunded: 2,
            },
        };
        Self {
            keys: Mutex::new([active, revoked, others].map(overview).into()),
            trouble: Mutex::default(),
            asked: Mutex::default(),
            turns: Semaphore::new(Semaphore::MAX_PERMITS),
        }
    }
}

impl FakePeople {
    /// Whether a key is revoked.
    pub(crate) fn is_revoked(&self, id_text: &str) -> bool {
        let keys = self.keys.lock().unwrap();
        let key = keys.iter().find(|key| key.key.id == KeyId(id(id_text)));
        key.is_some_and(|key| key.key.revoked_at.is_some())
    }

    /// Notes a question; fails it when it has to.
    fn note(&self, caller: &Caller, question: &impl std::fmt::Debug) -> Result<(), KeyError> {
        assert_eq!(caller.request_id, RequestId::parse("test-1").unwrap());
        let asked = format!("{}: {question:#?}", caller.owner.subject);
        self.asked.lock().unwrap().push(asked);
        match &*self.trouble.lock().unwrap() {
            Some(trouble) => Err(trouble.clone()),
            None => Ok(()),
        }
    }

    fn reached(&self, caller: &Caller, reach: Reach) -> Result<Vec<KeyOverview>, KeyError> {
        if reach != Reach::Own {
            admins_only(caller)?;
        }
        let within = |key: &&KeyOverview| match reach {
            Reach::Own => key.key.owner == caller.owner,
            Reach::All => true,
            Reach::Of(customer) => key.key.customer == customer,
        };
        Ok(self
            .keys
            .lock()
            .unwrap()
            .iter()
            .filter(within)
            .cloned()
            .collect())
    }

    fn change(
        &self,
        caller: &Caller,
        reach: Reach,
        id: KeyId,
        change: impl FnOnce(&mut ApiKey),
    ) -> Result<KeyOverview, KeyError> {
        let reached = self.reached(caller, reach)?;
        if !reached.iter().any(|key| key.key.id == id) {
            return Err(KeyError::NotFound);
        }
        let mut keys = self.keys.lock().unwrap();
        let key = keys.iter_mut().find(|key| key.key.id == id).unwrap();
        change(&mut key.key);
        Ok(key.clone())
    }
}

fn admins_only(caller: &Caller) -> Result<(), KeyError> {
    match caller.role {
        Role::Admin => Ok(()),
        Role::Member => Err(KeyError::Forbidden),
    }
}

fn page<T>(items: Vec<(Uuid, DateTime<Utc>, T)>, ask: &PageAsk) -> Page<T> {
    let total = u64::try_from(items.len()).ok();
    let items = items
        .into_iter()
        .map(|(id, at, item)| (Cursor::at(at, id), item));
    let after = ask.after.as_ref();
    let items: Vec<_> = match after {
        Some(after) => items
            .skip_while(|(cursor, _)| cursor != after)
            .skip(1)
            .collect(),
        None => items.collect(),
    };
    Page::of(items, ask.first, total)
}

#[async_trait]
impl KeyAdministration for FakePeople {
    async fn create(&self, caller: &Caller, order: KeyOrder) -> Result<CreatedKey, KeyError> {
        self.note(caller, &order)?;
        assert!(order.limits.is_none(), "nobody chooses limits over REST");
        let text = NEW_SECRET.replace("test", order.environment.name());
        let secret = FullKey::parse(&text).unwrap();
        let mut key = self.keys.lock().unwrap()[0].clone();
        key.key.id = KeyId(Uuid::from_u128(7));
        key.key.name = order.name;
        key.key.prefix = secret.prefix().clone();
        Ok(CreatedKey { key, secret })
    }

    async fn list(
        &self,
        caller: &Caller,
        reach: Reach,
        ask: &KeyListing,
    ) -> Result<Page<KeyOverview>, KeyError> {
        self.note(caller, &(reach, ask))?;
        let keys = self.reached(caller, reach)?.into_iter();
        let items = keys
            .map(|key| (key.key.id.0, key.key.created_at, key))
            .collect();
        Ok(page(items, &ask.page))
    }

    async fn own(&self, caller: &Caller, revoked: RevokedKeys) -> Result<Vec<ApiKey>, KeyError> {
        self.note(caller, &revoked)?;
        let keys = self
            .reached(caller, Reach::Own)?
            .into_iter()
            .map(|key| key.key);
        Ok(keys
            .filter(|key| revoked == RevokedKeys::Included || key.revoked_at.is_none())
            .collect())
    }

    async fn find(
        &self,
        caller: &Caller,
        reach: Reach,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        self.note(caller, &(reach, id))?;
        self.change(caller, reach, id, |_| {})
    }

    async fn rename(
        &self,
        _: &Caller,
        _: Reach,
        _: KeyId,
        _: KeyName,
    ) -> Result<KeyOverview, KeyError> {
        unreachable!("no route of this crate renames")
    }

    async fn revoke(
        &self,
        caller: &Caller,
        reach: Reach,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        self.note(caller, &(reach, id))?;
        self.turns.acquire().await.unwrap().forget();
        self.change(caller, reach, id, |key| {
            key.revoked_at.get_or_insert(now());
        })
    }

    async fn rotate(&self, _: &Caller, _: KeyId, _: Grace) -> Result<RotatedKey, KeyError> {
        unreachable!("no route of this crate rotates")
    }

    async fn set_limits(
        &self,
        caller: &Caller,
        id: KeyId,
        change: LimitsChange,
    ) -> Result<KeyOverview, KeyError> {
        self.note(caller, &(id, change))?;
        self.change(caller, Reach::All, id, |key| {
            key.limits = change.apply(key.limits);
        })
    }

    async fn set_plan(
        &self,
        caller: &Caller,
        customer: CustomerId,
        plan: Plan,
        existing: ExistingKeys,
    ) -> Result<Customer, KeyError> {
        self.note(caller, &(customer, plan, existing))?;
        admins_only(caller)?;
        let mut found = customers().into_iter().find(|known| known.id == customer);
        if let Some(found) = &mut found {
            found.plan = plan;
        }
        found.ok_or(KeyError::NotFound)
    }
}

fn customers() -> Vec<Customer> {
    [
        (ACCOUNT, "member", Plan::Startup),
        (OTHER_ACCOUNT, "other", Plan::Enterprise),
    ]
    .map(|(account, subject, plan)| Customer {
        id: CustomerId(id(account)),
        owner: owner(subject),
        plan,
        created_at: now() - TimeDelta::days(30),
    })
    .into()
}

#[async_trait]
impl Insights for FakePeople {
    async fn customer(&self, _: &Caller) -> Result<Customer, KeyError> {
        unreachable!("no route of this crate asks for the viewer")
    }

    async fn standing(&self, _: &KeyOverview) -> Result<Standing, KeyError> {
        unreachable!("no route of this crate asks what is left")
    }

    async fn usage(
        &self,
        caller: &Caller,
        reach: Reach,
        ask: &UsageAsk,
    ) -> Result<UsageReport, KeyError> {
        self.note(caller, &(reach, ask))?;
        admins_only(caller)?;
        let slots: Vec<_> = ask.period.slots().collect();
        let counts: Vec<u64> = (0..).take(slots.len()).collect();
        let labels = match ask.breakdown {
            Breakdown::Total => vec![SeriesLabel::Total],
            Breakdown::Key => vec![SeriesLabel::Key(KeyId(id(ACTIVE_KEY))), SeriesLabel::Others],
            Breakdown::Endpoint => vec![SeriesLabel::Endpoint(Endpoint::XmlAuto)],
            Breakdown::Outcome => vec![
                SeriesLabel::Outcome(Outcome::Delivered),
                SeriesLabel::Outcome(Outcome::BankTimeout),
            ],
        };
        let mut latencies = Latencies::default();
        latencies.record(Duration::from_millis(300));
        let mut totals = Totals::default();
        totals.add(Outcome::Delivered, 3, &latencies);
        totals.add(Outcome::BankTimeout, 1, &latencies);
        totals.add(Outcome::RateLimited, 2, &Latencies::default());
        let series = |label| Series {
            label,
            counts: counts.clone(),
        };
        Ok(UsageReport {
            series: labels.into_iter().map(series).collect(),
            slots,
            totals,
        })
    }

    async fn requests(
        &self,
        _: &Caller,
        _: Reach,
        _: &RequestListing,
    ) -> Result<Page<RequestRecord>, KeyError> {
        unreachable!("no route of this crate lists requests")
    }

    async fn bank(&self, _: Environment) -> BankHealth {
        unreachable!("no route of this crate asks for the bank's health")
    }

    async fn customers(
        &self,
        caller: &Caller,
        text: Option<&str>,
        ask: &PageAsk,
    ) -> Result<Page<CustomerOverview>, KeyError> {
        self.note(caller, &(text, ask))?;
        admins_only(caller)?;
        let overview = |customer: Customer| CustomerOverview {
            customer,
            active_keys: 1,
            month: Month::of(now()),
            used: MonthlyUse {
                charged: 12,
                refunded: 2,
            },
        };
        let items = customers().into_iter();
        let items = items.map(|customer| (customer.id.0, customer.created_at, overview(customer)));
        Ok(page(items.collect(), ask))
    }

    async fn audit(
        &self,
        caller: &Caller,
        filter: &AuditFilter,
        ask: &PageAsk,
    ) -> Result<AuditPage, KeyError> {
        self.note(caller, &(filter, ask))?;
        admins_only(caller)?;
        let entry = |number, action, key, change: (&str, Option<&str>, Option<&str>)| AuditEntry {
            act: Act {
                id: Uuid::from_u128(number),
                at: now(),
                actor: owner("admin"),
                request_id: RequestId::parse("earlier-1").unwrap(),
            },
            action,
            customer: CustomerId(id(ACCOUNT)),
            key,
            changes: vec![FieldChange {
                field: change.0.to_owned(),
                before: change.1.map(str::to_owned),
                after: change.2.map(str::to_owned),
            }],
        };
        let key = Some(KeyId(id(ACTIVE_KEY)));
        let entries = [
            entry(
                2,
                Action::PlanSet,
                None,
                ("plan", Some("startup"), Some("enterprise")),
            ),
            entry(
                1,
                Action::KeyRevoked,
                key,
                ("revoked_at", None, Some("2026-11-20T12:00:00.000Z")),
            ),
        ];
        let items = entries.map(|entry| (entry.act.id, entry.act.at, entry));
        Ok(page(items.into(), ask))
    }
}
