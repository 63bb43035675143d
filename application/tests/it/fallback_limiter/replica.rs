//! Replicas over one shared limiter with faults to order.

use ports::contract::fixture as contract;

use super::*;

/// A process with a key, whose shared limiter may fail.
pub(super) struct Replica {
    pub(super) clock: Arc<ManualClock>,
    pub(super) data: MemoryStore,
    pub(super) store: Arc<MemoryStore>,
    pub(super) journal: Arc<MemoryJournal>,
    pub(super) shared: Arc<FaultyLimiter>,
    pub(super) own: Arc<InProcessLimiter>,
    /// The number of replicas, as this one knows it.
    pub(super) replicas: Arc<ReplicaCount>,
    pub(super) limiter: Arc<FallbackLimiter>,
    pub(super) reconciliation: Reconciliation,
    pub(super) key: CountedKey,
}

pub(super) const KEY: CountedKey = CountedKey::first(KeyId(Uuid::from_u128(7)));

impl Replica {
    /// One of so many replicas, with a key that the shared limiter knows.
    pub(super) async fn one_of(replicas: u32, limits: Limits) -> Self {
        let clock = Arc::new(ManualClock::at(noon()));
        let data = MemoryStore::default();
        add_key(&data, limits).await;
        let shared = Arc::new(InProcessLimiter::new(clock.clone()));
        let replica = Self::of(replicas, clock, data, shared);
        replica.hydrate().await;
        replica
    }

    /// The same, without the shared limiter since three requests, which it admitted.
    pub(super) async fn degraded(replicas: u32, limits: Limits) -> Self {
        let replica = Self::one_of(replicas, limits).await;
        assert_eq!(replica.degrade().await, 3);
        replica
    }

    /// Another replica, with its own connection to the same shared limiter and data.
    pub(super) fn beside(&self, replicas: u32) -> Self {
        let shared = self.shared.in_process().clone();
        Self::of(replicas, self.clock.clone(), self.data.clone(), shared)
    }

    /// Another replica, whose clock is ahead of the shared limiter's.
    pub(super) fn ahead_by(&self, by: Duration) -> Self {
        let clock = Arc::new(ManualClock::at(noon() + by));
        let shared = self.shared.in_process().clone();
        Self::of(2, clock, self.data.clone(), shared)
    }

    fn of(
        replicas: u32,
        clock: Arc<ManualClock>,
        data: MemoryStore,
        shared: Arc<InProcessLimiter>,
    ) -> Self {
        let store = Arc::new(data.elsewhere());
        let journal = Arc::new(MemoryJournal::new(data.clone()));
        let shared = Arc::new(FaultyLimiter::over(shared));
        let own = Arc::new(InProcessLimiter::new(clock.clone()));
        let replicas = Arc::new(ReplicaCount::new(NonZeroU32::new(replicas).unwrap()));
        let limiter = Arc::new(FallbackLimiter::new(
            shared.clone(),
            own.clone(),
            store.clone(),
            clock.clone(),
            replicas.clone(),
        ));
        let reconciliation = Reconciliation::new(limiter.clone(), store.clone());
        Self {
            clock,
            data,
            store,
            journal,
            shared,
            own,
            replicas,
            limiter,
            reconciliation,
            key: KEY,
        }
    }

    /// Hydrates the limiter, as the gatekeeper does with an unknown key.
    pub(super) async fn hydrate(&self) {
        let snapshot = self.in_store().await;
        self.limiter.hydrate(self.key, snapshot).await.unwrap();
    }

    pub(super) async fn in_store(&self) -> Snapshot {
        let month = Month::of(self.clock.now());
        let snapshot = self.data.snapshot(self.key.id, month).await.unwrap();
        snapshot.unwrap()
    }

    pub(super) async fn ask(&self) -> Result<Verdict, LimiterError> {
        self.limiter.admit(self.key).await
    }

    /// Asserts that the quota is used up.
    pub(super) async fn is_over_quota(&self) -> MonthStatus {
        match self.ask().await.unwrap() {
            Verdict::QuotaExceeded { month, .. } => month,
            verdict => panic!("{verdict:?}"),
        }
    }

    pub(super) async fn is_over_rate(&self) -> LimitStatus {
        match self.ask().await.unwrap() {
            Verdict::RateLimited { limit_status, .. } => limit_status,
            verdict => panic!("{verdict:?}"),
        }
    }

    /// Makes so many requests, writes down those that are admitted, and returns their number.
    pub(super) async fn admitted_of(&self, attempts: usize) -> usize {
        let mut admitted = 0;
        for _ in 0..attempts {
            if let Verdict::Admitted { month, charge, .. } = self.ask().await.unwrap() {
                if charge == Charge::Unwritten {
                    self.write_down(month);
                }
                admitted += 1;
            }
        }
        admitted
    }

    pub(super) fn write_down(&self, month: Month) {
        let entry = AdmissionEntry {
            key: self.key.id,
            month,
            at: self.clock.now(),
        };
        drop(self.journal.admit(entry));
    }

    /// Makes the shared limiter fail until the circuit opens; returns the number of requests that were
    /// admitted meanwhile.
    pub(super) async fn degrade(&self) -> usize {
        self.shared.faults().inject(Fault::Fails);
        let mut admitted = 0;
        for _ in 0..3 {
            assert_eq!(self.limiter.mode(), LimiterMode::Shared);
            admitted += self.admitted_of(1).await;
        }
        assert_eq!(self.limiter.mode(), LimiterMode::Degraded);
        admitted
    }

    /// Lets the shared limiter work again, and the cool-down pass.
    pub(super) fn recover(&self) {
        self.shared.faults().clear();
        self.clock.advance(Duration::from_secs(15));
    }

    /// Use of the month as the next request finds it, which is given back.
    pub(super) async fn month_used(&self) -> u64 {
        match self.ask().await.unwrap() {
            Verdict::Admitted {
                limit_status,
                month,
                ..
            } => {
                let request = Uuid::from_u128(1_000 + self.shared.faults().all_calls() as u128);
                self.limiter.refund(self.key, month, request).await.unwrap();
                limit_status.month.unwrap().used - 1
            }
            Verdict::RateLimited { limit_status, .. } => limit_status.month.unwrap().used,
            Verdict::QuotaExceeded { month, .. } => month.used,
            verdict @ (Verdict::Revoked | Verdict::Unknown { .. }) => panic!("{verdict:?}"),
        }
    }
}

/// The `number`th key of the suites with another id.
pub(super) fn record_of(key: CountedKey, number: u16) -> KeyRecord {
    let mut record = contract::record(number);
    (record.key.id, record.credential.id) = (key.id, key.id);
    (record.key.counters, record.credential.counters) = (key.counters, key.counters);
    record
}

async fn add_key(data: &MemoryStore, limits: Limits) {
    data.find_or_insert(&contract::customer(1)).await.unwrap();
    let mut record = record_of(KEY, 9);
    record.key.limits = limits;
    let added = data.insert(record, KeyBounds::Unbounded, &act()).await;
    added.unwrap();
}

pub(super) struct ManualTime(pub(super) Arc<ManualClock>);

#[async_trait]
impl TestTime for ManualTime {
    async fn advance(&self, by: Duration) {
        self.0.advance(by);
    }

    async fn now(&self) -> DateTime<Utc> {
        self.0.now()
    }
}
