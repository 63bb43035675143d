//! Cost of an admission in process.

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use application::{AdmissionRequest, Caller, GatekeeperService, NewKey, RequestKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::keys::{Environment, KeyName};
use domain::limits::{Limits, MAX_PER_MINUTE};
use domain::outcome::Endpoint;
use domain::people::customer::{Owner, Role};
use domain::request::RequestId;
use memory::InProcessLimiter;
use ports::outbound::{
    AdmissionEntry, Clock, JournalError, Limiter as _, Receipt, RefusalEntry, RequestEntry,
    UsageJournal,
};
use testkit::people::{PeopleServices, hasher};
use uuid::Uuid;

use crate::{Row, row};

const ADMISSIONS: u32 = 1_000_000;

/// The clocks of the machine, the monotonic one from an instant on.
pub(crate) struct MachineClock(pub(crate) Instant);

impl Clock for MachineClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "a benchmark measures the real clock too"
    )]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A journal that does nothing, so that only the admission is measured.
struct NoJournal;

#[async_trait]
impl UsageJournal for NoJournal {
    fn admit(&self, _: AdmissionEntry) -> Receipt {
        Receipt::new(std::future::ready(Ok(())))
    }

    fn conclude(&self, _: RequestEntry) {}

    fn refuse(&self, _: RefusalEntry) {}

    async fn flush(&self) -> Result<(), JournalError> {
        Ok(())
    }

    fn trouble(&self) -> Option<ports::Cause> {
        None
    }

    fn accepts(&self) -> Result<(), JournalError> {
        Ok(())
    }

    fn probe(&self) {}
}

/// Measures the limiter alone, and key check and limiter together.
pub(crate) async fn measure() -> Result<Vec<Row>> {
    let clock = Arc::new(MachineClock(Instant::now()));
    let limiter = Arc::new(InProcessLimiter::new(clock.clone()));
    let services = PeopleServices::at(clock.now());
    let order = NewKey {
        name: KeyName::parse("bench")?,
        environment: Environment::Test,
        limits: Some(Limits::new(MAX_PER_MINUTE, None)?),
    };
    let operator = Caller {
        owner: Owner::operator(),
        role: Role::Admin,
        request_id: RequestId::from_uuid(Uuid::nil()),
    };
    let created = services.keys.create(&operator, order).await?;
    let gatekeeper = GatekeeperService::new(
        Arc::new(services.store),
        limiter.clone(),
        Arc::new(NoJournal),
        clock,
        services.random,
        hasher(),
        Arc::default(),
    );
    let request_id = RequestId::from_uuid(Uuid::nil());
    let attempt = || AdmissionRequest {
        key: RequestKey::Presented(Some(created.secret.reveal().to_owned())),
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        endpoint: Endpoint::Xml,
        idempotency_key: None,
        request_id: request_id.clone(),
    };
    black_box(gatekeeper.admit(attempt()).await.is_ok());

    let started = Instant::now();
    for _ in 0..ADMISSIONS / 2 {
        black_box(limiter.admit(created.key.key.counted()).await?);
    }
    let limiter_alone = started.elapsed() * 2 / ADMISSIONS;
    let started = Instant::now();
    for _ in 0..ADMISSIONS / 4 {
        black_box(gatekeeper.admit(attempt()).await.is_ok());
    }
    let whole = started.elapsed() * 4 / ADMISSIONS;
    let micros = |time: Duration| format!("{:.2} µs", time.as_secs_f64() * 1e6);
    Ok(vec![
        row(
            "(a) an admission: minute and month",
            micros(limiter_alone),
            "–",
        ),
        row("(a) with key check, HMAC and id", micros(whole), "–"),
    ])
}
