//! A key store that records its calls.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::AuditContext;
use domain::customer::CustomerId;
use domain::key::{ApiKey, Credential, KeyId, KeyOverview, KeyPrefix, KeyQuery, RevokedKeys};
use domain::limits::MonthlyUse;
use domain::month::Month;
use domain::page::Page;
use futures::future::BoxFuture;
use ports::outbound::{
    Change, ChangeNumber, InsertError, KeyChange, KeyRecord, KeyStore, ListError, RotateError,
    Rotation, Scope, Snapshot, StoreError, Successor, UpdateError,
};
use testkit::fakes::MemoryStore;
use tokio::sync::Semaphore;

/// A key store that counts its calls.
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

    /// Holds charges of months from now on.
    pub(crate) fn hold_charges(&self) {
        self.charges.forget_permits(usize::MAX);
    }

    pub(crate) fn release_charges(&self) {
        self.charges.add_permits(1_000);
    }

    /// The largest number of concurrent charges.
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

    /// The number of changes that each reading of changes returned.
    pub(crate) fn pages(&self) -> Vec<usize> {
        self.pages.lock().unwrap().clone()
    }

    /// The number of keys of each reading of many keys' counters.
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

    /// Holds readings of counters from now on.
    pub(crate) fn hold_snapshots(&self) {
        self.gate.forget_permits(usize::MAX);
    }

    pub(crate) fn release_snapshots(&self) {
        self.gate.add_permits(1_000);
    }

    /// Runs `action` right after the next reading of counters, before it returns.
    pub(crate) fn after_next_snapshot(&self, action: impl Future<Output = ()> + Send + 'static) {
        *self.after_snapshot.lock().unwrap() = Some(Box::pin(action));
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
        act: &AuditContext,
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
        let action = self.after_snapshot.lock().unwrap().take();
        if let Some(action) = action {
            action.await;
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
        ask: &KeyQuery,
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
        act: &AuditContext,
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
        act: &AuditContext,
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
