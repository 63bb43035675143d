//! Keys in memory, for tests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use domain::key::{ApiKey, Credential, KeyId, KeyPrefix};
use domain::limits::{LimitsChange, MonthlyUse};
use domain::month::Month;
use ports::outbound::{
    Change, ChangeNumber, InsertError, KeyRecord, KeyState, KeyStore, Snapshot, StoreError,
    UpdateError,
};

/// Changes that one call returns at most.
const CHANGES_AT_ONCE: usize = 1_000;

/// Keeps keys and counters as long as it lives. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct MemoryKeyStore(Arc<Mutex<Books>>);

#[derive(Debug, Default)]
struct Books {
    keys: BTreeMap<KeyId, Kept>,
    changes: Vec<KeyId>,
    used: BTreeMap<(KeyId, Month), MonthlyUse>,
}

#[derive(Debug)]
struct Kept {
    record: KeyRecord,
    version: u64,
}

/// What a change did.
#[derive(PartialEq, Eq)]
enum Changed {
    Key,
    Nothing,
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

impl MemoryKeyStore {
    fn books(&self) -> MutexGuard<'_, Books> {
        self.0
            .lock()
            .expect("nothing panics while it holds the books")
    }

    /// Adds to what a key used of a month.
    pub(crate) fn count(&self, key: KeyId, month: Month, add: impl FnOnce(&mut MonthlyUse)) {
        add(self.books().used.entry((key, month)).or_default());
    }

    /// Moves a key's last use on, to the minute of `at`.
    pub(crate) fn use_at(&self, key: KeyId, at: DateTime<Utc>) {
        let minute = at.duration_trunc(TimeDelta::minutes(1)).unwrap_or(at);
        if let Some(kept) = self.books().keys.get_mut(&key) {
            let last = &mut kept.record.key.last_used_at;
            *last = (*last).max(Some(minute));
        }
    }

    /// Changes a key, unless that would change nothing of it.
    fn change(
        &self,
        id: KeyId,
        change: impl FnOnce(&mut ApiKey) -> Changed,
    ) -> Result<ApiKey, UpdateError> {
        let mut books = self.books();
        let kept = books.keys.get_mut(&id).ok_or(UpdateError::NotFound)?;
        if change(&mut kept.record.key) == Changed::Nothing {
            return Ok(kept.record.key.clone());
        }
        kept.version += 1;
        let key = kept.record.key.clone();
        books.changes.push(id);
        Ok(key)
    }
}

#[async_trait]
impl KeyStore for MemoryKeyStore {
    async fn insert(&self, record: KeyRecord) -> Result<(), InsertError> {
        let mut books = self.books();
        let prefix = &record.key.prefix;
        if books
            .keys
            .values()
            .any(|kept| kept.record.key.prefix == *prefix)
        {
            return Err(InsertError::PrefixTaken);
        }
        let kept = Kept { record, version: 1 };
        books.keys.insert(kept.record.key.id, kept);
        Ok(())
    }

    async fn credential(&self, prefix: &KeyPrefix) -> Result<Option<Credential>, StoreError> {
        let books = self.books();
        let mut records = books.keys.values().map(|kept| &kept.record);
        let record = records.find(|record| record.key.prefix == *prefix);
        Ok(record.map(|record| record.credential.clone()))
    }

    async fn credentials(&self, most: u64) -> Result<Vec<(KeyPrefix, Credential)>, StoreError> {
        let books = self.books();
        let records = books.keys.values().map(|kept| &kept.record);
        let mut active: Vec<_> = records
            .filter(|record| record.key.revoked_at.is_none())
            .collect();
        active.sort_by_key(|record| std::cmp::Reverse((record.key.created_at, record.key.id)));
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let pair = |record: &KeyRecord| (record.key.prefix.clone(), record.credential.clone());
        Ok(active.into_iter().take(most).map(pair).collect())
    }

    async fn snapshot(&self, id: KeyId, month: Month) -> Result<Option<Snapshot>, StoreError> {
        let books = self.books();
        let used = books.used.get(&(id, month)).copied().unwrap_or_default();
        let snapshot = |kept: &Kept| Snapshot {
            state: kept.state(),
            month,
            used,
        };
        Ok(books.keys.get(&id).map(snapshot))
    }

    async fn list(&self) -> Result<Vec<ApiKey>, StoreError> {
        let books = self.books();
        let mut keys: Vec<_> = books
            .keys
            .values()
            .map(|kept| kept.record.key.clone())
            .collect();
        keys.sort_by_key(|key| std::cmp::Reverse((key.created_at, key.id)));
        Ok(keys)
    }

    async fn revoke(&self, id: KeyId, at: DateTime<Utc>) -> Result<ApiKey, UpdateError> {
        self.change(id, |key| {
            if key.revoked_at.is_some() {
                return Changed::Nothing;
            }
            key.revoked_at = Some(at);
            Changed::Key
        })
    }

    async fn set_limits(&self, id: KeyId, change: LimitsChange) -> Result<ApiKey, UpdateError> {
        self.change(id, |key| {
            key.limits = change.apply(key.limits);
            Changed::Key
        })
    }

    async fn changes(&self, after: ChangeNumber) -> Result<Vec<Change>, StoreError> {
        let books = self.books();
        let changes = (1..).zip(&books.changes);
        let change = |(number, key): (u64, &KeyId)| Change {
            number: ChangeNumber(number),
            key: *key,
            state: books.keys[key].state(),
        };
        let changes = changes.filter(|(number, _)| *number > after.0).map(change);
        Ok(changes.take(CHANGES_AT_ONCE).collect())
    }

    async fn newest_change(&self) -> Result<ChangeNumber, StoreError> {
        Ok(ChangeNumber(self.books().changes.len() as u64))
    }
}
