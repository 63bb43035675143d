//! Fakes of the inbound ports, which count their calls.

mod insights;
mod keys;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::customer::{Customer, CustomerId, Role};
use domain::key::{KeyId, Owner};
use domain::limits::Plan;
use ports::inbound::{
    Caller, KeyError, Person, RequestedScope, Session, SessionError, Sessions, SignIn,
    SignInAnswer, SignInError,
};
use ports::outbound::{Clock, Random};
use uuid::Uuid;

pub(crate) use insights::FakeInsights;
pub(crate) use keys::FakeKeys;

pub(crate) const SECRET: &str = "cep_live_NewKey01.ABCDEFGHIJKLMNOPQRSTUVWX";
/// Error text of a driver, which must not reach a client.
pub(crate) const DRIVER_ERROR: &str = "near \"SELECT\": no such table: api_key in /var/lib/cep.db";

pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-21T06:23:27Z".parse().unwrap()
}

/// A clock whose wall time is fixed, and whose monotonic time is the runtime's.
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

pub(crate) struct FixedRandom;

impl Random for FixedRandom {
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

/// Fault that a fake injects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultMode {
    None,
    /// Its store fails.
    StoreFails,
    Panics,
    /// It never returns.
    Hangs,
}

/// State that both fakes share.
pub(crate) struct Shared {
    calls: Mutex<BTreeMap<&'static str, usize>>,
    fault: Mutex<FaultMode>,
    failing_method: Mutex<Option<&'static str>>,
}

impl Shared {
    fn new() -> Self {
        Self {
            calls: Mutex::default(),
            fault: Mutex::new(FaultMode::None),
            failing_method: Mutex::new(None),
        }
    }

    pub(crate) fn set_fault(&self, fault: FaultMode) {
        *self.fault.lock().unwrap() = fault;
    }

    /// Injects a failing store into this method alone.
    pub(crate) fn fail_on(&self, method: &'static str) {
        *self.failing_method.lock().unwrap() = Some(method);
    }

    /// Returns and resets the numbers of calls, by method.
    pub(crate) fn calls(&self) -> BTreeMap<&'static str, usize> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    async fn called(&self, method: &'static str) -> Result<(), KeyError> {
        *self.calls.lock().unwrap().entry(method).or_default() += 1;
        let fault = match *self.failing_method.lock().unwrap() {
            Some(failing) if failing == method => FaultMode::StoreFails,
            _ => *self.fault.lock().unwrap(),
        };
        match fault {
            FaultMode::None => Ok(()),
            FaultMode::StoreFails => Err(KeyError::Store(Arc::new(std::io::Error::other(
                DRIVER_ERROR,
            )))),
            FaultMode::Panics => panic!("a bug"),
            FaultMode::Hangs => std::future::pending().await,
        }
    }
}

fn only_admins(caller: &Caller, reach: RequestedScope) -> Result<(), KeyError> {
    match (reach, caller.role) {
        (RequestedScope::Own, _) | (_, Role::Admin) => Ok(()),
        (RequestedScope::All | RequestedScope::Of(_), Role::Member) => Err(KeyError::Forbidden),
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
