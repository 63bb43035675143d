//! The application's services for people, over in-memory adapters.

use std::sync::Arc;

use application::{
    BankBySide, BankMonitor, BrowserAddresses, InsightSources, InsightsService, KeyService,
    SessionService,
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::AuditContext;
use domain::keys::{ApiKey, Credential, HashGeneration, KeyBounds, KeyHash, KeyHasher};
use domain::limits::Plan;
use domain::people::customer::{Customer, CustomerId, Owner, Role};
use domain::people::sign_in::PendingSignInSeal;
use domain::request::RequestId;
use ports::outbound::{Claims, Clock, CustomerStore, KeyRecord, KeyStore, new_id};

use crate::fakes::{
    CountingRandom, FaultyLimiter, ManualClock, MemoryJournal, MemoryStore, ScriptedBank,
    ScriptedIdentity, by_amount,
};

/// Secret of the fixtures' key hashes and sealed sign-ins.
const SECRET: [u8; 32] = [7; 32];

/// Services for people over in-memory adapters, without data.
pub struct PeopleServices {
    /// Clock of all services.
    pub clock: Arc<ManualClock>,
    /// Randomness of all services.
    pub random: Arc<CountingRandom>,
    /// The store as keys and insights use it: faults that are injected into this handle are theirs,
    /// and only their calls are counted. Sessions use the deny list of another handle.
    pub store: MemoryStore,
    /// Journal that writes into the store.
    pub journal: Arc<MemoryJournal>,
    /// The limiter of all services.
    pub limiter: Arc<FaultyLimiter>,
    /// The identity provider.
    pub identity: Arc<ScriptedIdentity>,
    /// The bank of live keys.
    pub live_bank: Arc<ScriptedBank>,
    /// The bank of test keys.
    pub test_bank: Arc<ScriptedBank>,
    /// Health of both banks.
    pub monitor: Arc<BankMonitor>,
    /// Administration of keys and plans.
    pub keys: Arc<KeyService>,
    /// Usage, requests, limits, the banks, customers and the audit log.
    pub insights: Arc<InsightsService>,
    /// Sessions.
    pub sessions: Arc<SessionService>,
}

/// The hasher of the fixtures' keys.
pub fn hasher() -> KeyHasher {
    KeyHasher::new(vec![(HashGeneration(1), SECRET.to_vec())]).unwrap()
}

/// A person of the fixtures' identity provider.
pub fn owner(subject: &str) -> Owner {
    Owner {
        issuer: "https://id.example".to_owned(),
        subject: subject.to_owned(),
    }
}

impl PeopleServices {
    /// Services whose clock shows `now`.
    pub fn at(now: DateTime<Utc>) -> Self {
        let store = MemoryStore::default();
        Self::over(store.clone(), Arc::new(store), now)
    }

    /// Services over a store, and over its keys by way of an adapter of the test's own.
    pub fn over(store: MemoryStore, keys: Arc<dyn KeyStore>, now: DateTime<Utc>) -> Self {
        let clock = Arc::new(ManualClock::at(now));
        let random = Arc::new(CountingRandom::default());
        let data = Arc::new(store.clone());
        let limiter = Arc::new(FaultyLimiter::new(clock.clone()));
        let identity = Arc::new(ScriptedIdentity::new(clock.clone()));
        let live_bank = Arc::new(ScriptedBank::answering(by_amount));
        let test_bank = Arc::new(ScriptedBank::answering(by_amount));
        let monitor = Arc::new(BankMonitor::new(clock.clone()));
        let administration = KeyService::new(
            keys.clone(),
            data.clone(),
            limiter.clone(),
            clock.clone(),
            clock.clone(),
            random.clone(),
            hasher(),
        );
        let sources = InsightSources {
            keys,
            customers: data.clone(),
            usage: data.clone(),
            audit: data,
            limiter: limiter.clone(),
            banks: BankBySide {
                live: live_bank.clone(),
                test: test_bank.clone(),
            },
            monitor: monitor.clone(),
        };
        let insights = InsightsService::new(sources, clock.clone(), random.clone());
        let addresses = BrowserAddresses {
            signed_in: "https://gateway.example/auth/callback".to_owned(),
            signed_out: "https://gateway.example".to_owned(),
        };
        let sessions = SessionService::new(
            identity.clone(),
            Arc::new(store.elsewhere()),
            clock.clone(),
            random.clone(),
            PendingSignInSeal::new(&SECRET).unwrap(),
            addresses,
        );
        Self {
            journal: Arc::new(MemoryJournal::new(store.clone())),
            clock,
            random,
            store,
            limiter,
            identity,
            live_bank,
            test_bank,
            monitor,
            keys: Arc::new(administration),
            insights: Arc::new(insights),
            sessions: Arc::new(sessions),
        }
    }

    /// Gives a person a session of an hour with this token.
    pub fn sign_in(&self, token: &str, subject: &str, role: Role) {
        let Owner { issuer, subject } = owner(subject);
        let claims = Claims {
            issuer,
            role,
            display_name: Some(format!("Demo {subject}")),
            issued_at: Some(self.clock.now()),
            expires_at: self.clock.now() + TimeDelta::hours(1),
            subject,
        };
        self.identity.accept(token, claims);
    }

    /// Makes a person a customer, first seen at `created_at`.
    pub async fn add_customer(
        &self,
        id: CustomerId,
        subject: &str,
        plan: Plan,
        created_at: DateTime<Utc>,
    ) -> Customer {
        let customer = Customer {
            id,
            owner: owner(subject),
            plan,
            created_at,
        };
        let added = self.store.elsewhere().find_or_insert(&customer).await;
        added.unwrap()
    }

    /// Adds a key of a customer, as its owner would have when it was created. Nobody knows its
    /// secret.
    pub async fn add_key(&self, key: ApiKey) {
        let credential = Credential {
            id: key.id,
            counters: key.counters,
            customer: key.customer,
            hash: KeyHash([0; 32]),
            generation: HashGeneration(1),
        };
        let context = self.mutation(key.created_at, &key.owner);
        let record = KeyRecord { key, credential };
        let store = self.store.elsewhere();
        let inserted = store.insert(record, KeyBounds::Unbounded, &context).await;
        inserted.unwrap();
    }

    /// The context of an earlier mutation.
    pub fn mutation(&self, at: DateTime<Utc>, actor: &Owner) -> AuditContext {
        AuditContext {
            id: new_id(self.clock.as_ref(), self.random.as_ref()),
            at,
            actor: actor.clone(),
            request_id: RequestId::parse("earlier-1").unwrap(),
        }
    }
}
