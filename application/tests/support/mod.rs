//! Stores, limiters and journals that are watched, that fail or wait when told to, and that let
//! something happen between two readings.
#![allow(
    dead_code,
    reason = "each test binary uses another part of what is here"
)]

pub(crate) mod house;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::Act;
use domain::customer::{CustomerId, Role};
use domain::key::{ApiKey, Credential, HashGeneration, KeyHasher, KeyId, KeyPrefix, Owner};
use domain::limits::{Limits, MonthlyUse, Standing};
use domain::month::Month;
use domain::page::Page;
use domain::request::RequestId;
use futures::future::BoxFuture;
use memory::{InProcessLimiter, ManualClock, MemoryJournal, MemoryStore};
use ports::Cause;
use ports::inbound::{Caller, KeyListing, KeyOverview, RevokedKeys};
use ports::outbound::{
    AdmissionEntry, Change, ChangeNumber, InsertError, JournalError, KeyChange, KeyRecord,
    KeyState, KeyStore, Limiter, LimiterError, ListError, Receipt, RefusalEntry, RequestEntry,
    RotateError, Rotation, Scope, Snapshot, StoreError, Successor, UpdateError, UsageJournal,
    Verdict,
};
use tokio::sync::{Semaphore, watch};
use uuid::Uuid;

/// The noon at which every test begins.
pub(crate) fn noon() -> DateTime<Utc> {
    "2026-11-20T12:00:00Z".parse().unwrap()
}

pub(crate) fn hasher() -> KeyHasher {
    KeyHasher::new(vec![(HashGeneration(1), vec![7; 32])]).unwrap()
}

pub(crate) fn limits(per_minute: u32, quota: Option<u64>) -> Limits {
    Limits::new(per_minute, quota).unwrap()
}

/// The machine's operator, as the command line has it.
pub(crate) fn operator() -> Caller {
    Caller {
        owner: Owner::operator(),
        role: Role::Admin,
        request_id: RequestId::parse("cli-1").unwrap(),
    }
}

/// A person.
pub(crate) fn person(subject: &str, role: Role) -> Caller {
    Caller {
        owner: Owner {
            issuer: "https://identity.example".to_owned(),
            subject: subject.to_owned(),
        },
        role,
        request_id: RequestId::parse(&format!("request-of-{subject}")).unwrap(),
    }
}

/// What another process on the same data does; each time another act.
fn act() -> Act {
    static ACTS: AtomicUsize = AtomicUsize::new(1);
    let number = ACTS.fetch_add(1, Ordering::SeqCst);
    Act {
        id: Uuid::from_u128(number as u128),
        at: noon(),
        actor: Owner::operator(),
        request_id: RequestId::parse("elsewhere").unwrap(),
    }
}

/// Another process on the same data.
pub(crate) trait Elsewhere {
    /// Changes a key there.
    async fn change_key(&self, id: KeyId, change: KeyChange);

    async fn revoke_key(&self, id: KeyId) {
        self.change_key(id, KeyChange::Revoke).await;
    }

    async fn set_key_limits(&self, id: KeyId, limits: Limits) {
        self.change_key(id, KeyChange::SetLimits(limits.into()))
            .await;
    }
}

impl Elsewhere for MemoryStore {
    async fn change_key(&self, id: KeyId, change: KeyChange) {
        let changed = self.change(Scope::Everybody, id, &change, &act()).await;
        changed.unwrap();
    }
}

/// A key store that counts what it is asked.
pub(crate) struct WatchedStore {
    inner: MemoryStore,
    is_down: AtomicBool,
    look_ups: AtomicUsize,
    snapshots: AtomicUsize,
    pages: Mutex<Vec<usize>>,
    batches: Mutex<Vec<usize>>,
    /// New prefixes that it takes for those of other keys, whatever they are.
    taken_prefixes: AtomicUsize,
    /// Readings of counters wait here for a permit.
    gate: Semaphore,
    after_snapshot: Mutex<Option<BoxFuture<'static, ()>>>,
    /// Charges wait here for a permit.
    charges: Semaphore,
    charging: AtomicUsize,
    charged_at_once: AtomicUsize,
}

impl WatchedStore {
    pub(crate) fn over(inner: MemoryStore) -> Self {
        Self {
            inner,
            is_down: AtomicBool::new(false),
            look_ups: AtomicUsize::new(0),
            snapshots: AtomicUsize::new(0),
            pages: Mutex::default(),
            batches: Mutex::default(),
            taken_prefixes: AtomicUsize::new(0),
            gate: Semaphore::new(usize::MAX >> 4),
            after_snapshot: Mutex::default(),
            charges: Semaphore::new(usize::MAX >> 4),
            charging: AtomicUsize::new(0),
            charged_at_once: AtomicUsize::new(0),
        }
    }

    /// From now on, who charges a month waits.
    pub(crate) fn hold_charges(&self) {
        self.charges.forget_permits(usize::MAX);
    }

    pub(crate) fn release_charges(&self) {
        self.charges.add_permits(1_000);
    }

    /// How many charged a month at the same time, at most.
    pub(crate) fn charged_at_once(&self) -> usize {
        self.charged_at_once.load(Ordering::SeqCst)
    }

    /// From now on it fails.
    pub(crate) fn go_down(&self) {
        self.is_down.store(true, Ordering::SeqCst);
    }

    pub(crate) fn come_back(&self) {
        self.is_down.store(false, Ordering::SeqCst);
    }

    /// Credentials that were looked up.
    pub(crate) fn look_ups(&self) -> usize {
        self.look_ups.load(Ordering::SeqCst)
    }

    /// Counters that were read.
    pub(crate) fn snapshots(&self) -> usize {
        self.snapshots.load(Ordering::SeqCst)
    }

    /// How many changes each reading of changes returned.
    pub(crate) fn pages(&self) -> Vec<usize> {
        self.pages.lock().unwrap().clone()
    }

    /// How many keys each reading of many keys' counters asked for.
    pub(crate) fn batches(&self) -> Vec<usize> {
        self.batches.lock().unwrap().clone()
    }

    /// The next so many prefixes belong to other keys.
    pub(crate) fn take_next_prefixes(&self, count: usize) {
        self.taken_prefixes.store(count, Ordering::SeqCst);
    }

    fn taken_prefix(&self) -> bool {
        let left = |left: usize| left.checked_sub(1);
        self.taken_prefixes
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, left)
            .is_ok()
    }

    /// From now on, who reads counters waits.
    pub(crate) fn hold_snapshots(&self) {
        self.gate.forget_permits(usize::MAX);
    }

    pub(crate) fn release_snapshots(&self) {
        self.gate.add_permits(1_000);
    }

    /// Does something right after the next reading of counters, before its reader knows of it.
    pub(crate) fn after_next_snapshot(&self, deed: impl Future<Output = ()> + Send + 'static) {
        *self.after_snapshot.lock().unwrap() = Some(Box::pin(deed));
    }

    fn answer(&self) -> Result<(), StoreError> {
        if self.is_down.load(Ordering::SeqCst) {
            let cause = Arc::new(std::io::Error::other("the store is down"));
            return Err(StoreError { cause });
        }
        Ok(())
    }
}

#[async_trait]
impl KeyStore for WatchedStore {
    async fn insert(
        &self,
        record: KeyRecord,
        most_active: u64,
        act: &Act,
    ) -> Result<(), InsertError> {
        self.answer()?;
        if self.taken_prefix() {
            return Err(InsertError::PrefixTaken);
        }
        self.inner.insert(record, most_active, act).await
    }

    async fn credential(&self, prefix: &KeyPrefix) -> Result<Option<Credential>, StoreError> {
        self.look_ups.fetch_add(1, Ordering::SeqCst);
        // As a database would: others go on meanwhile.
        tokio::task::yield_now().await;
        self.answer()?;
        self.inner.credential(prefix).await
    }

    async fn credentials(&self, most: u64) -> Result<Vec<(KeyPrefix, Credential)>, StoreError> {
        self.answer()?;
        self.inner.credentials(most).await
    }

    async fn snapshot(&self, id: KeyId, month: Month) -> Result<Option<Snapshot>, StoreError> {
        self.snapshots.fetch_add(1, Ordering::SeqCst);
        let _permit = self.gate.acquire().await.unwrap();
        self.answer()?;
        let snapshot = self.inner.snapshot(id, month).await;
        let deed = self.after_snapshot.lock().unwrap().take();
        if let Some(deed) = deed {
            deed.await;
        }
        snapshot
    }

    async fn snapshots(
        &self,
        ids: &[KeyId],
        month: Month,
    ) -> Result<Vec<(KeyId, Snapshot)>, StoreError> {
        self.batches.lock().unwrap().push(ids.len());
        self.answer()?;
        self.inner.snapshots(ids, month).await
    }

    async fn charge(
        &self,
        id: KeyId,
        month: Month,
        at: DateTime<Utc>,
    ) -> Result<Option<MonthlyUse>, StoreError> {
        let charging = self.charging.fetch_add(1, Ordering::SeqCst) + 1;
        self.charged_at_once.fetch_max(charging, Ordering::SeqCst);
        let _permit = self.charges.acquire().await.unwrap();
        self.charging.fetch_sub(1, Ordering::SeqCst);
        self.answer()?;
        self.inner.charge(id, month, at).await
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        self.answer()?;
        self.inner.is_empty().await
    }

    async fn list(
        &self,
        scope: Scope,
        month: Month,
        ask: &KeyListing,
    ) -> Result<Page<KeyOverview>, ListError> {
        self.answer()?;
        self.inner.list(scope, month, ask).await
    }

    async fn of_customer(
        &self,
        customer: CustomerId,
        revoked: RevokedKeys,
    ) -> Result<Vec<ApiKey>, StoreError> {
        self.answer()?;
        self.inner.of_customer(customer, revoked).await
    }

    async fn find(
        &self,
        scope: Scope,
        id: KeyId,
        month: Month,
    ) -> Result<Option<KeyOverview>, StoreError> {
        self.answer()?;
        self.inner.find(scope, id, month).await
    }

    async fn change(
        &self,
        scope: Scope,
        id: KeyId,
        change: &KeyChange,
        act: &Act,
    ) -> Result<ApiKey, UpdateError> {
        self.answer()?;
        self.inner.change(scope, id, change, act).await
    }

    async fn rotate(
        &self,
        scope: Scope,
        id: KeyId,
        successor: &Successor,
        retires_at: DateTime<Utc>,
        act: &Act,
    ) -> Result<Rotation, RotateError> {
        self.answer()?;
        if self.taken_prefix() {
            return Err(RotateError::PrefixTaken);
        }
        self.inner
            .rotate(scope, id, successor, retires_at, act)
            .await
    }

    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<KeyId>, StoreError> {
        self.answer()?;
        self.inner.due(now).await
    }

    async fn changes(&self, after: ChangeNumber) -> Result<Vec<Change>, StoreError> {
        self.answer()?;
        let changes = self.inner.changes(after).await?;
        self.pages.lock().unwrap().push(changes.len());
        Ok(changes)
    }

    async fn newest_change(&self) -> Result<ChangeNumber, StoreError> {
        self.answer()?;
        self.inner.newest_change().await
    }
}

/// The limiter of one machine, which can be told to fail, and remembers which changes it was told.
pub(crate) struct WatchedLimiter {
    inner: Arc<InProcessLimiter>,
    /// Calls that succeed before the next one fails.
    good_calls: Mutex<Option<usize>>,
    is_down: AtomicBool,
    applied: Mutex<Vec<(KeyId, KeyState)>>,
    /// The clock that goes on while a change is applied, and how far.
    takes: Mutex<Option<(Arc<ManualClock>, Duration)>>,
}

impl WatchedLimiter {
    pub(crate) fn over(inner: Arc<InProcessLimiter>) -> Self {
        Self {
            inner,
            good_calls: Mutex::default(),
            is_down: AtomicBool::new(false),
            applied: Mutex::default(),
            takes: Mutex::default(),
        }
    }

    /// From now on it takes so long by a clock to apply a change.
    pub(crate) fn takes(&self, clock: Arc<ManualClock>, time: Duration) {
        *self.takes.lock().unwrap() = Some((clock, time));
    }

    /// Fails once, after this many more calls.
    pub(crate) fn fail_once_after(&self, calls: usize) {
        *self.good_calls.lock().unwrap() = Some(calls);
    }

    /// From now on it fails.
    pub(crate) fn fail(&self) {
        self.is_down.store(true, Ordering::SeqCst);
    }

    pub(crate) fn work(&self) {
        self.is_down.store(false, Ordering::SeqCst);
    }

    /// The changes that it was told of and took.
    pub(crate) fn applied(&self) -> Vec<(KeyId, KeyState)> {
        self.applied.lock().unwrap().clone()
    }

    fn answer(&self) -> Result<(), LimiterError> {
        let mut good_calls = self.good_calls.lock().unwrap();
        let left = *good_calls;
        *good_calls = left.and_then(|left| left.checked_sub(1));
        if left != Some(0) && !self.is_down.load(Ordering::SeqCst) {
            return Ok(());
        }
        let cause = Arc::new(std::io::Error::other("the limiter is down"));
        Err(LimiterError { cause })
    }
}

#[async_trait]
impl Limiter for WatchedLimiter {
    async fn admit(&self, key: KeyId) -> Result<Verdict, LimiterError> {
        self.answer()?;
        self.inner.admit(key).await
    }

    async fn peek(&self, key: KeyId) -> Result<Option<Standing>, LimiterError> {
        self.answer()?;
        self.inner.peek(key).await
    }

    async fn hydrate(&self, key: KeyId, snapshot: Snapshot) -> Result<(), LimiterError> {
        self.answer()?;
        self.inner.hydrate(key, snapshot).await
    }

    async fn apply(&self, key: KeyId, state: KeyState) -> Result<(), LimiterError> {
        self.answer()?;
        self.applied.lock().unwrap().push((key, state));
        let takes = self.takes.lock().unwrap().clone();
        if let Some((clock, time)) = takes {
            clock.advance(time);
            tokio::task::yield_now().await;
        }
        self.inner.apply(key, state).await
    }

    async fn forget(&self, key: KeyId) -> Result<(), LimiterError> {
        self.answer()?;
        self.inner.forget(key).await
    }

    async fn refund(&self, key: KeyId, month: Month, request: Uuid) -> Result<(), LimiterError> {
        self.answer()?;
        self.inner.refund(key, month, request).await
    }
}

/// A journal that can hold back what it is handed, as one does that waits for a slow disk.
pub(crate) struct HeldJournal {
    inner: Arc<MemoryJournal>,
    is_held: watch::Sender<bool>,
    held: Mutex<Vec<AdmissionEntry>>,
}

impl HeldJournal {
    pub(crate) fn over(inner: Arc<MemoryJournal>) -> Self {
        Self {
            inner,
            is_held: watch::Sender::new(false),
            held: Mutex::default(),
        }
    }

    /// From now on admissions are not written, and whoever waits for one goes on waiting.
    pub(crate) fn hold(&self) {
        self.is_held.send_replace(true);
    }

    /// Writes what was held back.
    pub(crate) fn release(&self) {
        for entry in self.held.lock().unwrap().drain(..) {
            drop(self.inner.admit(entry));
        }
        self.is_held.send_replace(false);
    }

    /// Resolves once nothing is held back.
    fn released(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut is_held = self.is_held.subscribe();
        async move {
            is_held.wait_for(|is_held| !is_held).await.unwrap();
        }
    }
}

#[async_trait]
impl UsageJournal for HeldJournal {
    fn admit(&self, entry: AdmissionEntry) -> Receipt {
        if !*self.is_held.borrow() {
            return self.inner.admit(entry);
        }
        self.held.lock().unwrap().push(entry);
        let released = self.released();
        Receipt::new(async {
            released.await;
            Ok(())
        })
    }

    fn conclude(&self, entry: RequestEntry) {
        self.inner.conclude(entry);
    }

    fn refuse(&self, entry: RefusalEntry) {
        self.inner.refuse(entry);
    }

    async fn flush(&self) -> Result<(), JournalError> {
        self.released().await;
        self.inner.flush().await
    }

    fn trouble(&self) -> Option<Cause> {
        self.inner.trouble()
    }

    fn accepts(&self) -> Result<(), JournalError> {
        self.inner.accepts()
    }

    fn probe(&self) {
        self.inner.probe();
    }
}

/// What a journal says whose disk is full.
pub(crate) fn disk_full() -> JournalError {
    JournalError::Store {
        cause: Arc::new(std::io::Error::other("the disk is full")),
    }
}
