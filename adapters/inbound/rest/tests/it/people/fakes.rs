//! People with sessions, keys that belong to them, and a log of what was asked.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{Action, AuditContext, AuditEntry, AuditFilter, AuditPage, FieldChange};
use domain::customer::{Customer, CustomerId, CustomerOverview, ExistingKeys, Role};
use domain::key::{
    ApiKey, Environment, FullKey, Grace, KeyId, KeyName, KeyOverview, KeyPrefix, KeyQuery, Owner,
    RevokedKeys,
};
use domain::latency::Latencies;
use domain::limits::{LimitStatus, Limits, LimitsChange, MonthlyUse, Plan};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{Cursor, Page, PageRequest};
use domain::request::{RequestId, RequestQuery, RequestRecord};
use domain::usage::{Breakdown, Totals, UsageQuery};
use ports::inbound::{
    BankHealth, Caller, CreatedKey, Insights, KeyAdministration, KeyError, NewKey, Person,
    RequestedScope, RotatedKey, Series, SeriesLabel, Session, SessionError, Sessions, SignIn,
    SignInAnswer, SignInError, UsageReport,
};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::fakes::now;

mod insights;
mod keys;

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
    /// The answer to every call, once it is set.
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
    /// State of a key: revoked or not.
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

    fn reached(
        &self,
        caller: &Caller,
        reach: RequestedScope,
    ) -> Result<Vec<KeyOverview>, KeyError> {
        if reach != RequestedScope::Own {
            admins_only(caller)?;
        }
        let within = |key: &&KeyOverview| match reach {
            RequestedScope::Own => key.key.owner == caller.owner,
            RequestedScope::All => true,
            RequestedScope::Of(customer) => key.key.customer == customer,
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
        reach: RequestedScope,
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

fn page<T>(items: Vec<(Uuid, DateTime<Utc>, T)>, ask: &PageRequest) -> Page<T> {
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
