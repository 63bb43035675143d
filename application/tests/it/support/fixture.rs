//! A gatekeeper with all its dependencies, on one machine.

use std::net::IpAddr;
use std::sync::Arc;

use application::{
    Admission, ChangeFeed, CredentialCache, GatekeeperService, InsightsService, KeyService,
    Settlement,
};
use chrono::{DateTime, Utc};
use domain::key::{Environment, FullKey, KeyId, KeyName};
use domain::limits::{Limits, MonthlyUse};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::request::RequestId;
use ports::inbound::{AdmissionError, AdmissionRequest, Caller, KeyAdministration, NewKey};
use ports::outbound::{Clock, KeyStore};
use testkit::fakes::{FaultyLimiter, ManualClock, MemoryJournal, MemoryStore, ScriptedBank};
use testkit::people::PeopleServices;

use super::{HeldJournal, WatchedStore, hasher, noon, operator};

pub(crate) const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

pub(crate) struct Fixture {
    pub(crate) clock: Arc<ManualClock>,
    /// The data, as another process on the same data sees it.
    pub(crate) data: MemoryStore,
    /// The journal, as it is written.
    pub(crate) written: Arc<MemoryJournal>,
    /// The journal of the gatekeeper, which can be held.
    pub(crate) journal: Arc<HeldJournal>,
    pub(crate) store: Arc<WatchedStore>,
    pub(crate) limiter: Arc<FaultyLimiter>,
    pub(crate) test_bank: Arc<ScriptedBank>,
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
    let store = Arc::new(WatchedStore::over(&data));
    let people = PeopleServices::over(data.clone(), store.clone(), now);
    let journal = Arc::new(HeldJournal::over(people.journal.clone()));
    let credentials = Arc::<CredentialCache>::default();
    let gatekeeper = GatekeeperService::new(
        store.clone(),
        people.limiter.clone(),
        journal.clone(),
        people.clock.clone(),
        people.random,
        hasher(),
        credentials.clone(),
    );
    Fixture {
        clock: people.clock,
        data,
        written: people.journal,
        journal,
        store,
        limiter: people.limiter,
        test_bank: people.test_bank,
        keys: people.keys,
        insights: people.insights,
        gatekeeper: Arc::new(gatekeeper),
        credentials,
    }
}

/// A key and its secret.
pub(crate) struct Holder {
    pub(crate) id: KeyId,
    pub(crate) secret: FullKey,
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
        self.holder_of(&operator(), limits).await
    }

    /// A key of an admin's.
    pub(crate) async fn holder_of(&self, admin: &Caller, limits: Limits) -> Holder {
        let order = NewKey {
            name: KeyName::parse("till").unwrap(),
            environment: Environment::Test,
            limits: Some(limits),
        };
        let created = self.keys.create(admin, order).await.unwrap();
        Holder {
            id: created.key.key.id,
            secret: created.secret,
        }
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
        presented_key: key.map(str::to_owned),
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
