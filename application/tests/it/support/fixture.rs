//! A gatekeeper with all its dependencies, on one machine.

use std::net::IpAddr;
use std::sync::Arc;

use application::{
    Admission, AdmissionError, AdmissionRequest, Caller, ChangeFeed, CreatedKey, CredentialCache,
    GatekeeperService, InsightsService, KeyService, LookupAccess, NewKey, RequestKey,
    RequestedScope, Settlement,
};
use chrono::{DateTime, Utc};
use domain::keys::{Environment, FullKey, Grace, KeyId, KeyName};
use domain::limits::{Limits, MonthlyUse};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::request::RequestId;
use ports::outbound::{Clock, KeyStore};
use testkit::fakes::{FaultyLimiter, ManualClock, MemoryJournal, MemoryStore};
use testkit::people::PeopleServices;

use super::{hasher, noon, operator};

pub(crate) const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

pub(crate) struct Fixture {
    pub(crate) clock: Arc<ManualClock>,
    /// The data, as another process on the same data sees it.
    pub(crate) data: MemoryStore,
    pub(crate) journal: Arc<MemoryJournal>,
    /// The store of this process, with its own faults and counts.
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) limiter: Arc<FaultyLimiter>,
    pub(crate) keys: Arc<KeyService>,
    pub(crate) insights: Arc<InsightsService>,
    pub(crate) gatekeeper: Arc<GatekeeperService>,
    credentials: Arc<CredentialCache>,
}

pub(crate) fn fixture() -> Fixture {
    fixture_at(noon())
}

pub(crate) fn fixture_at(now: DateTime<Utc>) -> Fixture {
    let data = MemoryStore::default();
    let store = Arc::new(data.elsewhere());
    let people = PeopleServices::over(data.clone(), store.clone(), now);
    let credentials = Arc::<CredentialCache>::default();
    let gatekeeper = GatekeeperService::new(
        store.clone(),
        people.limiter.clone(),
        people.journal.clone(),
        people.clock.clone(),
        people.random,
        hasher(),
        credentials.clone(),
    );
    Fixture {
        clock: people.clock,
        data,
        journal: people.journal,
        store,
        limiter: people.limiter,
        keys: people.keys,
        insights: people.insights,
        gatekeeper: Arc::new(gatekeeper),
        credentials,
    }
}

/// A fixture, and a test key of the operator's with these limits.
pub(crate) async fn fixture_with(limits: Limits) -> (Fixture, Holder) {
    let fixture = fixture();
    let holder = fixture.holder(limits).await;
    (fixture, holder)
}

pub(crate) struct Holder {
    pub(crate) id: KeyId,
    pub(crate) secret: FullKey,
}

impl From<CreatedKey> for Holder {
    fn from(created: CreatedKey) -> Self {
        Self {
            id: created.key.key.id,
            secret: created.secret,
        }
    }
}

pub(crate) fn key_order(environment: Environment, limits: Option<Limits>) -> NewKey {
    NewKey {
        name: KeyName::parse("till").unwrap(),
        environment,
        limits,
    }
}

impl Fixture {
    /// A feed of changes from now on.
    pub(crate) async fn change_feed(&self) -> ChangeFeed {
        let feed = ChangeFeed::start(
            self.store.clone(),
            self.limiter.clone(),
            self.credentials.clone(),
            self.clock.clone(),
        );
        feed.await.unwrap()
    }

    pub(crate) async fn holder(&self, limits: Limits) -> Holder {
        self.key_of(&operator(), Environment::Test, Some(limits))
            .await
    }

    /// A key of somebody's; with limits of an admin's own choice, or those of the plan.
    pub(crate) async fn key_of(
        &self,
        owner: &Caller,
        environment: Environment,
        limits: Option<Limits>,
    ) -> Holder {
        let order = key_order(environment, limits);
        self.keys.create(owner, order).await.unwrap().into()
    }

    pub(crate) async fn revoke(&self, holder: &Holder) {
        let (keys, operator) = (&self.keys, operator());
        let revoked = keys.revoke(&operator, RequestedScope::Own, holder.id);
        revoked.await.unwrap();
    }

    /// The successor of a key of the operator's, whose grace is so many hours.
    pub(crate) async fn rotate(&self, holder: &Holder, hours: u32) -> Holder {
        let grace = Grace::from_hours(hours).unwrap();
        let rotated = self.keys.rotate(&operator(), holder.id, grace).await;
        rotated.unwrap().new.into()
    }

    pub(crate) async fn present(
        &self,
        key: Option<&str>,
        address: IpAddr,
    ) -> Result<Admission, AdmissionError> {
        self.gatekeeper.admit(request(key, address)).await
    }

    pub(crate) async fn ask(&self, holder: &Holder) -> Result<Admission, AdmissionError> {
        self.present(Some(holder.secret.reveal()), HERE).await
    }

    /// Makes a request that ends so.
    pub(crate) async fn serve(&self, holder: &Holder, outcome: Outcome) {
        let admission = self.ask(holder).await.unwrap();
        let settled = self.gatekeeper.settle(admission, ended(outcome));
        settled.await.unwrap();
    }

    /// The usage of the present month, from the store.
    pub(crate) async fn used(&self, id: KeyId) -> MonthlyUse {
        self.used_in(id, Month::of(self.clock.now())).await
    }

    pub(crate) async fn used_in(&self, id: KeyId, month: Month) -> MonthlyUse {
        let snapshot = self.data.snapshot(id, month).await.unwrap();
        snapshot.unwrap().used
    }
}

/// A request for an XML.
pub(crate) fn request(key: Option<&str>, address: IpAddr) -> AdmissionRequest {
    AdmissionRequest {
        key: RequestKey::Presented(key.map(str::to_owned)),
        address,
        endpoint: Endpoint::Xml,
        idempotency_key: None,
        request_id: RequestId::parse("till-7").unwrap(),
    }
}

pub(crate) fn ended(outcome: Outcome) -> Settlement {
    Settlement {
        outcome,
        banks: None,
        bank_time: None,
        delivered: Vec::new(),
        seal: None,
    }
}

/// The usage of the month of an admitted request, the request counted.
pub(crate) fn month_used(admission: &Admission) -> u64 {
    admission.limit_status.month.unwrap().used
}

pub(crate) fn access(holder: &Holder) -> LookupAccess {
    LookupAccess {
        presented_key: Some(holder.secret.reveal().to_owned()),
        address: HERE,
        request_id: RequestId::parse("read-1").unwrap(),
    }
}
