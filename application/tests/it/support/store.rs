//! A key store that records its calls, and runs something between two of them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::AuditContext;
use domain::customer::CustomerId;
use domain::key::{
    ApiKey, CountedKey, Credential, KeyBounds, KeyId, KeyOverview, KeyPrefix, KeyQuery, RevokedKeys,
};
use domain::limits::MonthlyUse;
use domain::month::Month;
use domain::page::{Page, PageRequest};
use futures::future::BoxFuture;
use ports::outbound::{
    Change, ChangeNumber, InsertError, KeyChange, KeyRecord, KeyStore, ListError, RotateError,
    Rotation, Scope, Snapshot, StoreError, Successor, UpdateError,
};
use testkit::fakes::{Fault, MemoryStore};

/// A key store that records its calls, and fails or waits when told to.
pub(crate) struct WatchedStore {
    inner: MemoryStore,
    pages: Mutex<Vec<usize>>,
    batches: Mutex<Vec<usize>>,
    /// New prefixes that it takes for those of other keys, whatever they are.
    taken_prefixes: AtomicUsize,
    after_snapshot: Mutex<Option<BoxFuture<'static, ()>>>,
    charging: AtomicUsize,
    charged_at_once: AtomicUsize,
}

impl WatchedStore {
    /// A connection of its own to the same data.
    pub(crate) fn over(data: &MemoryStore) -> Self {
        Self {
            inner: data.elsewhere(),
            pages: Mutex::default(),
            batches: Mutex::default(),
            taken_prefixes: AtomicUsize::new(0),
            after_snapshot: Mutex::default(),
            charging: AtomicUsize::new(0),
            charged_at_once: AtomicUsize::new(0),
        }
    }

    /// Holds charges of months until it comes back.
    pub(crate) fn hold_charges(&self) {
        self.inner.faults().inject_into("charge", Fault::Hangs);
    }

    /// The largest number of concurrent charges.
    pub(crate) fn charged_at_once(&self) -> usize {
        self.charged_at_once.load(Ordering::SeqCst)
    }

    /// From now on it fails.
    pub(crate) fn go_down(&self) {
        self.inner.faults().inject(Fault::Fails);
    }

    /// From now on it works, and goes on with what it held.
    pub(crate) fn come_back(&self) {
        self.inner.faults().clear();
    }

    fn calls(&self, method: &str) -> usize {
        let calls = self.inner.faults().calls();
        calls.get(method).copied().unwrap_or_default()
    }

    /// Credentials that were looked up.
    pub(crate) fn look_ups(&self) -> usize {
        self.calls("credential")
    }

    /// Counters that were read.
    pub(crate) fn snapshots(&self) -> usize {
        self.calls("snapshot")
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

    /// Holds readings of counters until it comes back.
    pub(crate) fn hold_snapshots(&self) {
        self.inner.faults().inject_into("snapshot", Fault::Hangs);
    }

    /// Readings of many keys' counters fail until it comes back.
    pub(crate) fn damage_batches(&self) {
        self.inner.faults().inject_into("snapshots", Fault::Fails);
    }

    /// Runs `action` right after the next reading of counters, before it returns.
    pub(crate) fn after_next_snapshot(&self, action: impl Future<Output = ()> + Send + 'static) {
        *self.after_snapshot.lock().unwrap() = Some(Box::pin(action));
    }
}

#[async_trait]
impl KeyStore for WatchedStore {
    async fn insert(
        &self,
        record: KeyRecord,
        bounds: KeyBounds,
        act: &AuditContext,
    ) -> Result<(), InsertError> {
        if self.taken_prefix() {
            return Err(InsertError::PrefixTaken);
        }
        self.inner.insert(record, bounds, act).await
    }

    async fn credential(&self, prefix: &KeyPrefix) -> Result<Option<Credential>, StoreError> {
        // As a database would: others go on meanwhile.
        tokio::task::yield_now().await;
        self.inner.credential(prefix).await
    }

    async fn credentials(&self, most: u64) -> Result<Vec<(KeyPrefix, Credential)>, StoreError> {
        self.inner.credentials(most).await
    }

    async fn snapshot(&self, id: KeyId, month: Month) -> Result<Option<Snapshot>, StoreError> {
        let snapshot = self.inner.snapshot(id, month).await?;
        let action = self.after_snapshot.lock().unwrap().take();
        if let Some(action) = action {
            action.await;
        }
        Ok(snapshot)
    }

    async fn snapshots(
        &self,
        ids: &[KeyId],
        month: Month,
    ) -> Result<Vec<(KeyId, Snapshot)>, StoreError> {
        self.batches.lock().unwrap().push(ids.len());
        self.inner.snapshots(ids, month).await
    }

    async fn charge(
        &self,
        key: CountedKey,
        month: Month,
        at: DateTime<Utc>,
    ) -> Result<Option<MonthlyUse>, StoreError> {
        let charging = self.charging.fetch_add(1, Ordering::SeqCst) + 1;
        self.charged_at_once.fetch_max(charging, Ordering::SeqCst);
        let charge = self.inner.charge(key, month, at).await;
        self.charging.fetch_sub(1, Ordering::SeqCst);
        charge
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        self.inner.is_empty().await
    }

    async fn list(
        &self,
        scope: Scope,
        month: Month,
        ask: &KeyQuery,
    ) -> Result<Page<KeyOverview>, ListError> {
        self.inner.list(scope, month, ask).await
    }

    async fn of_customer(
        &self,
        customer: CustomerId,
        revoked: RevokedKeys,
        page: &PageRequest,
    ) -> Result<Page<ApiKey>, ListError> {
        self.inner.of_customer(customer, revoked, page).await
    }

    async fn find(
        &self,
        scope: Scope,
        id: KeyId,
        month: Month,
    ) -> Result<Option<KeyOverview>, StoreError> {
        self.inner.find(scope, id, month).await
    }

    async fn change(
        &self,
        scope: Scope,
        id: KeyId,
        change: &KeyChange,
        act: &AuditContext,
    ) -> Result<ApiKey, UpdateError> {
        self.inner.change(scope, id, change, act).await
    }

    async fn rotate(
        &self,
        scope: Scope,
        id: KeyId,
        successor: &Successor,
        retires_at: DateTime<Utc>,
        bounds: KeyBounds,
        act: &AuditContext,
    ) -> Result<Rotation, RotateError> {
        if self.taken_prefix() {
            return Err(RotateError::PrefixTaken);
        }
        self.inner
            .rotate(scope, id, successor, retires_at, bounds, act)
            .await
    }

    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<CountedKey>, StoreError> {
        self.inner.due(now).await
    }

    async fn changes(&self, after: ChangeNumber) -> Result<Vec<Change>, StoreError> {
        let changes = self.inner.changes(after).await?;
        self.pages.lock().unwrap().push(changes.len());
        Ok(changes)
    }

    async fn newest_change(&self) -> Result<ChangeNumber, StoreError> {
        self.inner.newest_change().await
    }
}
