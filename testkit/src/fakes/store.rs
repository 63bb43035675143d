//! In-memory store: keys, customers, use, the audit log, and the deny list; with failures on demand.

mod archive;
mod audit;
mod batches;
mod bounds;
mod customers;
mod deny;
mod idempotency;
mod keys;
mod lookups;
mod notifications;
mod own_accounts;
mod pages;
mod participants;
mod seals;
mod secrets;
mod seen_proofs;
mod usage;
mod webhooks;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use domain::audit::AuditEntry;
use domain::batches::BatchId;
use domain::idempotency::IdempotencyScope;
use domain::keys::{ApiKey, HashGeneration, KeyId, SecretFingerprint};
use domain::limits::MonthlyUse;
use domain::lookups::LookupId;
use domain::month::Month;
use domain::participants::Catalogue;
use domain::people::customer::{Customer, CustomerId};
use domain::proofs::archive::ArchiveIndex;
use domain::proofs::seen::ProofMark;
use ports::outbound::{
    CatalogueVersion, DatabaseSecret, Fingerprint, KeyRecord, KeyState, RefusalEntry, RequestEntry,
    SealSample, StoreError, StoredAccounts, StoredSealKey,
};
use uuid::Uuid;

use super::{Fault, Faults, cause, lock};
use batches::KeptBatch;
use idempotency::KeptRequest;
use lookups::KeptLookup;
use notifications::Listeners;
use webhooks::Outbox;

/// Result of a call.
type Result<T, E = StoreError> = std::result::Result<T, E>;

/// In-memory implementation of every store port. Clones share the data and the injected faults.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    tables: Arc<Mutex<Tables>>,
    faults: Arc<Faults>,
}

#[derive(Debug, Default)]
struct Tables {
    customers: BTreeMap<CustomerId, Customer>,
    keys: BTreeMap<KeyId, StoredKey>,
    /// New prefixes that are taken for those of other keys, whatever they are.
    taken_prefixes: usize,
    changes: Vec<KeyId>,
    used: BTreeMap<(KeyId, Month), MonthlyUse>,
    requests: BTreeMap<Uuid, RequestEntry>,
    /// Proofs that no request delivered.
    added_deliveries: Vec<(CustomerId, ProofMark, DateTime<Utc>)>,
    /// Requests that a limit refused.
    refusals: Vec<RefusalEntry>,
    audit: Vec<AuditEntry>,
    denied: HashMap<Fingerprint, DateTime<Utc>>,
    sessions_ended_at: Option<DateTime<Utc>>,
    secrets: BTreeMap<(DatabaseSecret, HashGeneration), SecretFingerprint>,
    catalogue: (CatalogueVersion, Option<Catalogue>),
    renew_at: Option<DateTime<Utc>>,
    seal_keys: Vec<StoredSealKey>,
    seal_samples: Vec<(DateTime<Utc>, SealSample)>,
    archive: BTreeMap<ArchiveIndex, (DateTime<Utc>, Vec<u8>)>,
    lookups: BTreeMap<LookupId, KeptLookup>,
    batches: BTreeMap<BatchId, KeptBatch>,
    idempotency: BTreeMap<IdempotencyScope, KeptRequest>,
    /// The latest turn of each customer whose lookup was claimed.
    turns: BTreeMap<CustomerId, u64>,
    own_accounts: BTreeMap<CustomerId, StoredAccounts>,
    /// Webhooks.
    outbox: Outbox,
    /// Those who listen to notifications of lookups.
    listeners: Listeners,
}

#[derive(Debug)]
struct StoredKey {
    record: KeyRecord,
    version: u64,
}

impl StoredKey {
    fn state(&self) -> KeyState {
        KeyState {
            revoked: self.record.key.revoked_at.is_some(),
            limits: self.record.key.limits,
            version: self.version,
        }
    }
}

impl Tables {
    fn all_keys(&self) -> impl Iterator<Item = &ApiKey> {
        self.keys.values().map(|stored| &stored.record.key)
    }

    fn use_at(&mut self, key: KeyId, at: DateTime<Utc>) {
        let minute = at.duration_trunc(TimeDelta::minutes(1)).unwrap_or(at);
        if let Some(stored) = self.keys.get_mut(&key) {
            let last = &mut stored.record.key.last_used_at;
            *last = (*last).max(Some(minute));
        }
    }
}

/// The error for a violation of what a database's constraints would hold together.
fn broken(what: &'static str) -> StoreError {
    StoreError { cause: cause(what) }
}

/// Removes the rows that aren't to be kept, and returns their number.
fn prune<K: Ord, V>(rows: &mut BTreeMap<K, V>, mut keep: impl FnMut(&V) -> bool) -> u64 {
    let all = rows.len();
    rows.retain(|_, row| keep(row));
    (all - rows.len()) as u64
}

/// The numbers of things that are due and that wait, and since when the oldest is due.
fn queue(
    due_at: impl Iterator<Item = Option<DateTime<Utc>>>,
    now: DateTime<Utc>,
) -> (u64, u64, Option<DateTime<Utc>>) {
    let (due, waiting): (Vec<_>, Vec<_>) = due_at.flatten().partition(|due_at| *due_at <= now);
    (
        due.len() as u64,
        waiting.len() as u64,
        due.into_iter().min(),
    )
}

/// Returns whether a value is the one that a filter wants, if it wants any.
fn is_wanted<T: Copy + PartialEq>(wanted: Option<T>, value: T) -> bool {
    wanted.is_none_or(|wanted| wanted == value)
}

impl MemoryStore {
    /// Another handle on the same data, as another process has one: without this one's faults, and
    /// with a count of its own.
    #[must_use]
    pub fn elsewhere(&self) -> Self {
        Self {
            tables: Arc::clone(&self.tables),
            faults: Arc::default(),
        }
    }

    /// Faults and counts of calls through this handle and its clones.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// From now on every call through this handle and its clones fails.
    pub fn go_down(&self) {
        self.faults.inject(Fault::Fails);
    }

    /// From now on it works, and goes on with what hung.
    pub fn come_back(&self) {
        self.faults.clear();
    }

    /// The next so many prefixes of new keys belong to other keys.
    pub fn take_next_prefixes(&self, count: usize) {
        self.tables().taken_prefixes = count;
    }

    /// Counts a call, applies the fault that is injected into it, and opens the tables.
    async fn call(&self, method: &'static str) -> Result<MutexGuard<'_, Tables>> {
        self.called(method).await?;
        Ok(self.tables())
    }

    async fn called(&self, method: &'static str) -> Result<()> {
        let called = self.faults.called(method).await;
        called.map_err(|cause| StoreError { cause })
    }
}

/// Writes of the journal.
impl MemoryStore {
    /// Adds to the use of a key in a month.
    pub(crate) fn count(&self, key: KeyId, month: Month, add: impl FnOnce(&mut MonthlyUse)) {
        add(self.tables().used.entry((key, month)).or_default());
    }

    /// Moves a key's last use on, to the minute of `at`.
    pub(crate) fn use_at(&self, key: KeyId, at: DateTime<Utc>) {
        self.tables().use_at(key, at);
    }

    /// Stores and counts a request, unless it is stored already.
    pub(crate) fn keep(&self, entry: RequestEntry) {
        let mut tables = self.tables();
        if tables.requests.contains_key(&entry.id) {
            return;
        }
        if let Some(month) = entry.refund {
            tables.used.entry((entry.key, month)).or_default().refunded += 1;
        }
        tables.requests.insert(entry.id, entry);
    }

    /// Counts a request that a limit refused.
    pub(crate) fn count_refusal(&self, entry: RefusalEntry) {
        self.tables().refusals.push(entry);
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        lock(&self.tables)
    }
}
