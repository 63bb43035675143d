//! What a database keeps, in memory, for tests: keys, customers, use, the audit log, and what was
//! signed out.

mod audit;
mod customers;
mod deny;
mod keys;
mod pages;
mod secrets;
mod usage;

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard};

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use domain::audit::AuditEntry;
use domain::customer::{Customer, CustomerId};
use domain::key::{HashGeneration, KeyId, SecretFingerprint};
use domain::limits::MonthlyUse;
use domain::month::Month;
use ports::outbound::{Fingerprint, KeyRecord, KeyState, RefusalEntry, RequestEntry, StoreError};
use uuid::Uuid;

use usage::Statistics;

/// Keeps everything as long as it lives. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Arc<Mutex<Books>>);

#[derive(Debug, Default)]
struct Books {
    customers: BTreeMap<CustomerId, Customer>,
    keys: BTreeMap<KeyId, Kept>,
    changes: Vec<KeyId>,
    used: BTreeMap<(KeyId, Month), MonthlyUse>,
    requests: BTreeMap<Uuid, RequestEntry>,
    statistics: Statistics,
    audit: Vec<AuditEntry>,
    denied: HashMap<Fingerprint, DateTime<Utc>>,
    secrets: BTreeMap<HashGeneration, SecretFingerprint>,
}

#[derive(Debug)]
struct Kept {
    record: KeyRecord,
    version: u64,
}

impl Kept {
    fn state(&self) -> KeyState {
        KeyState {
            revoked: self.record.key.revoked_at.is_some(),
            limits: self.record.key.limits,
            version: self.version,
        }
    }
}

impl Books {
    fn use_at(&mut self, key: KeyId, at: DateTime<Utc>) {
        let minute = at.duration_trunc(TimeDelta::minutes(1)).unwrap_or(at);
        if let Some(kept) = self.keys.get_mut(&key) {
            let last = &mut kept.record.key.last_used_at;
            *last = (*last).max(Some(minute));
        }
    }
}

/// The error of whoever breaks what the tables of a database would hold together.
fn broken(what: &'static str) -> StoreError {
    let cause = Box::<dyn Error + Send + Sync>::from(what);
    StoreError {
        cause: Arc::from(cause),
    }
}

/// What a journal writes.
impl MemoryStore {
    /// Adds to what a key used of a month.
    pub(crate) fn count(&self, key: KeyId, month: Month, add: impl FnOnce(&mut MonthlyUse)) {
        add(self.books().used.entry((key, month)).or_default());
    }

    /// Moves a key's last use on, to the minute of `at`.
    pub(crate) fn use_at(&self, key: KeyId, at: DateTime<Utc>) {
        self.books().use_at(key, at);
    }

    /// Keeps a request and counts it, unless it is kept already.
    pub(crate) fn keep(&self, entry: RequestEntry) {
        let mut books = self.books();
        if books.requests.contains_key(&entry.id) {
            return;
        }
        if let Some(month) = entry.refund {
            books.used.entry((entry.key, month)).or_default().refunded += 1;
        }
        books.statistics.conclude(&entry);
        books.requests.insert(entry.id, entry);
    }

    /// Counts a request that a limit refused.
    pub(crate) fn count_refusal(&self, entry: RefusalEntry) {
        self.books().statistics.refuse(entry);
    }

    /// The requests that are kept, by their id.
    pub(crate) fn kept_requests(&self) -> Vec<RequestEntry> {
        self.books().requests.values().cloned().collect()
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.0
            .lock()
            .expect("nothing panics while it holds the books")
    }
}
