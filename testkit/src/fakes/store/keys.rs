//! Keys.

use std::cmp::Reverse;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::{Action, AuditContext, creation, difference};
use domain::keys::{
    Addition, ApiKey, CountedKey, CounterId, Credential, KeyBounds, KeyFilter, KeyId, KeyOverview,
    KeyPrefix, KeyQuery, KeySort, RevokedKeys,
};
use domain::limits::MonthlyUse;
use domain::month::Month;
use domain::page::{Cursor, Page, PageRequest};
use domain::people::customer::CustomerId;
use ports::outbound::{
    Change, ChangeNumber, InsertError, KeyChange, KeyRecord, KeyStore, ListError, RotateError,
    Rotation, Scope, Snapshot, Successor, UpdateError,
};

use super::pages::{by_instant, find_ignoring_case, newest_first, page, uncounted};
use super::{MemoryStore, Result, StoredKey, Tables, broken, is_wanted};

/// Changes that one call returns at most.
const CHANGES_AT_ONCE: usize = 1_000;
/// Retired keys that one call returns at most.
const DUE_AT_ONCE: usize = 100;

impl Tables {
    fn key(&self, scope: Scope, id: KeyId) -> Option<&ApiKey> {
        let key = &self.keys.get(&id)?.record.key;
        in_scope(scope, key).then_some(key)
    }

    fn overview(&self, key: &ApiKey, month: Month) -> KeyOverview {
        KeyOverview {
            key: key.clone(),
            month,
            used: self.used(key.counters, month),
        }
    }

    fn snapshot(&self, id: KeyId, month: Month) -> Option<Snapshot> {
        let stored = self.keys.get(&id)?;
        Some(Snapshot {
            state: stored.state(),
            month,
            used: self.used(stored.record.key.counters, month),
        })
    }

    /// The use of all keys that share these counters.
    fn used(&self, counters: CounterId, month: Month) -> MonthlyUse {
        self.used_by(month, |key| key.counters == counters)
    }

    /// The use of some keys.
    pub(super) fn used_by(&self, month: Month, is_one: impl Fn(&ApiKey) -> bool) -> MonthlyUse {
        let keys = self.all_keys().filter(|key| is_one(key));
        let uses = keys.filter_map(|key| self.used.get(&(key.id, month)));
        uses.fold(MonthlyUse::default(), |sum, used| MonthlyUse {
            charged: sum.charged + used.charged,
            refunded: sum.refunded + used.refunded,
        })
    }

    fn charge(&mut self, key: CountedKey, month: Month, at: DateTime<Utc>) -> Option<MonthlyUse> {
        let Snapshot { state, used, .. } = self.snapshot(key.id, month)?;
        let quota = state.limits.monthly_quota();
        if state.revoked || quota.is_some_and(|quota| used.net() >= quota) {
            return None;
        }
        self.use_at(key.id, at);
        self.used.entry((key.id, month)).or_default().charged += 1;
        Some(self.used(key.counters, month))
    }

    fn has_prefix(&mut self, prefix: &KeyPrefix) -> bool {
        if let Some(left) = self.taken_prefixes.checked_sub(1) {
            self.taken_prefixes = left;
            return true;
        }
        self.all_keys().any(|key| key.prefix == *prefix)
    }

    /// The customer's keys that aren't revoked.
    pub(super) fn active_keys(&self, customer: CustomerId) -> impl Iterator<Item = &ApiKey> {
        self.unrevoked_keys()
            .filter(move |key| key.customer == customer)
    }

    /// All keys that aren't revoked.
    pub(super) fn unrevoked_keys(&self) -> impl Iterator<Item = &ApiKey> {
        self.all_keys().filter(|key| key.revoked_at.is_none())
    }

    fn add(&mut self, record: KeyRecord, act: &AuditContext) {
        let key = record.key.clone();
        self.keys.insert(key.id, StoredKey { record, version: 1 });
        self.changes.push(key.id);
        let changes = creation(&key);
        self.append_entry(act, Action::KeyCreated, key.customer, Some(key.id), changes);
    }

    /// Changes a key; when that makes a difference, appends an audit entry and, for changes of
    /// state, a row of the change feed.
    pub(super) fn change(
        &mut self,
        id: KeyId,
        action: Action,
        act: &AuditContext,
        change: impl FnOnce(&mut ApiKey),
    ) -> Result<ApiKey, UpdateError> {
        let stored = self.keys.get_mut(&id).ok_or(UpdateError::NotFound)?;
        let before = (stored.record.key.clone(), stored.state());
        change(&mut stored.record.key);
        let after = stored.record.key.clone();
        if after == before.0 {
            return Ok(after);
        }
        if stored.state() != before.1 {
            stored.version += 1;
            self.changes.push(id);
        }
        let changes = difference(&before.0, &after);
        self.append_entry(act, action, after.customer, Some(id), changes);
        Ok(after)
    }
}

fn in_scope(scope: Scope, key: &ApiKey) -> bool {
    match scope {
        Scope::Of(customer) => key.customer == customer,
        Scope::Everybody => true,
    }
}

fn matches_filter(filter: &KeyFilter, scope: Scope, key: &ApiKey) -> bool {
    let is_named = |text: &String| {
        find_ignoring_case(key.name.as_str(), text).is_some()
            || find_ignoring_case(key.prefix.as_str(), text) == Some(0)
            || scope == Scope::Everybody && find_ignoring_case(&key.owner.subject, text).is_some()
    };
    in_scope(scope, key)
        && (filter.statuses.is_empty() || filter.statuses.contains(&key.status()))
        && is_wanted(filter.environment, key.prefix.environment())
        && filter.text.as_ref().is_none_or(is_named)
}

#[async_trait]
impl KeyStore for MemoryStore {
    async fn insert(
        &self,
        record: KeyRecord,
        bounds: KeyBounds,
        act: &AuditContext,
    ) -> Result<(), InsertError> {
        let mut tables = self.call("insert").await?;
        tables.is_new(act)?;
        let customer = record.key.customer;
        if !tables.customers.contains_key(&customer) {
            return Err(broken("the key's customer doesn't exist").into());
        }
        if tables.has_prefix(&record.key.prefix) {
            return Err(InsertError::PrefixTaken);
        }
        tables.check_bounds(bounds, customer, Addition::Another, act.at)?;
        tables.add(record, act);
        Ok(())
    }

    async fn credential(&self, prefix: &KeyPrefix) -> Result<Option<Credential>> {
        self.called("credential").await?;
        // As a database would: others go on meanwhile.
        tokio::task::yield_now().await;
        let tables = self.tables();
        let mut records = tables.keys.values().map(|stored| &stored.record);
        let record = records.find(|record| record.key.prefix == *prefix);
        Ok(record.map(|record| record.credential.clone()))
    }

    async fn credentials(&self, most: u64) -> Result<Vec<(KeyPrefix, Credential)>> {
        let tables = self.call("credentials").await?;
        let mut active: Vec<_> = tables.unrevoked_keys().collect();
        active.sort_by_key(|key| Reverse((key.created_at, key.id)));
        active.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        let pair = |key: &ApiKey| {
            let credential = &tables.keys[&key.id].record.credential;
            (key.prefix.clone(), credential.clone())
        };
        Ok(active.into_iter().map(pair).collect())
    }

    async fn snapshot(&self, id: KeyId, month: Month) -> Result<Option<Snapshot>> {
        let snapshot = self.call("snapshot").await?.snapshot(id, month);
        self.faults.ended("snapshot").await;
        Ok(snapshot)
    }

    async fn snapshots(&self, ids: &[KeyId], month: Month) -> Result<Vec<(KeyId, Snapshot)>> {
        self.faults.sized("snapshots", ids.len());
        let found = {
            let tables = self.call("snapshots").await?;
            let snapshot = |id: &KeyId| Some((*id, tables.snapshot(*id, month)?));
            ids.iter().filter_map(snapshot).collect()
        };
        self.faults.ended("snapshots").await;
        Ok(found)
    }

    async fn charge(
        &self,
        key: CountedKey,
        month: Month,
        at: DateTime<Utc>,
    ) -> Result<Option<MonthlyUse>> {
        Ok(self.call("charge").await?.charge(key, month, at))
    }

    async fn is_empty(&self) -> Result<bool> {
        Ok(self.call("is_empty").await?.keys.is_empty())
    }

    async fn list(
        &self,
        scope: Scope,
        month: Month,
        query: &KeyQuery,
    ) -> Result<Page<KeyOverview>, ListError> {
        let tables = self.call("list").await?;
        let keys = tables.all_keys();
        let keys = keys.filter(|key| matches_filter(&query.filter, scope, key));
        let (request, direction) = (&query.page, query.direction);
        let keys = match query.order {
            KeySort::Created => {
                let cursor = |key: &&ApiKey| Cursor::at(key.created_at, key.id.0);
                page(keys, request, direction, cursor, by_instant)?
            }
            KeySort::Name => {
                let cursor = |key: &&ApiKey| Cursor {
                    value: key.name.as_str().to_owned(),
                    id: key.id.0,
                };
                let by_name = |cursor: &Cursor| Ok((cursor.value.clone(), cursor.id));
                page(keys, request, direction, cursor, by_name)?
            }
        };
        Ok(keys.map(|key| tables.overview(key, month)))
    }

    async fn of_customer(
        &self,
        customer: CustomerId,
        revoked: RevokedKeys,
        request: &PageRequest,
    ) -> Result<Page<ApiKey>, ListError> {
        let tables = self.call("of_customer").await?;
        let own = tables.all_keys().filter(|key| key.customer == customer);
        let all = revoked == RevokedKeys::Included;
        let wanted = own.filter(|key| all || key.revoked_at.is_none());
        let keys = newest_first(wanted, request, |key| (key.created_at, key.id.0))?;
        Ok(uncounted(keys.map(ApiKey::clone)))
    }

    async fn find(&self, scope: Scope, id: KeyId, month: Month) -> Result<Option<KeyOverview>> {
        let tables = self.call("find").await?;
        Ok(tables.key(scope, id).map(|key| tables.overview(key, month)))
    }

    async fn change(
        &self,
        scope: Scope,
        id: KeyId,
        change: &KeyChange,
        act: &AuditContext,
    ) -> Result<ApiKey, UpdateError> {
        let mut tables = self.call("change").await?;
        tables.is_new(act)?;
        tables.key(scope, id).ok_or(UpdateError::NotFound)?;
        match change {
            KeyChange::Rename(name) => tables.change(id, Action::KeyRenamed, act, |key| {
                key.name = name.clone();
            }),
            KeyChange::Revoke => tables.change(id, Action::KeyRevoked, act, |key| {
                key.revoked_at.get_or_insert(act.at);
            }),
            KeyChange::SetLimits(limits) => tables.change(id, Action::LimitsSet, act, |key| {
                key.limits = limits.apply(key.limits);
            }),
        }
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
        let mut tables = self.call("rotate").await?;
        tables.is_new(act)?;
        let old = tables.key(scope, id).ok_or(RotateError::NotFound)?.clone();
        if old.revoked_at.is_some() {
            return Err(RotateError::Revoked);
        }
        if old.retires_at.is_some() {
            return Err(RotateError::AlreadyRotated);
        }
        if tables.has_prefix(&successor.prefix) {
            return Err(RotateError::PrefixTaken);
        }
        let addition = if retires_at <= act.at {
            Addition::Replacement
        } else {
            Addition::Another
        };
        tables.check_bounds(bounds, old.customer, addition, act.at)?;
        let new = ApiKey {
            id: successor.credential.id,
            prefix: successor.prefix.clone(),
            created_at: act.at,
            last_used_at: None,
            ..old
        };
        let retire = |key: &mut ApiKey| {
            key.retires_at = Some(retires_at);
            key.revoked_at = (retires_at <= act.at).then_some(act.at);
        };
        let old = match tables.change(id, Action::KeyRotated, act, retire) {
            Ok(old) => old,
            Err(UpdateError::NotFound) => return Err(RotateError::NotFound),
            Err(UpdateError::Store(error)) => return Err(error.into()),
        };
        let record = KeyRecord {
            key: new.clone(),
            credential: Credential {
                counters: new.counters,
                ..successor.credential.clone()
            },
        };
        tables.add(record, act);
        Ok(Rotation { old, new })
    }

    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<CountedKey>> {
        let tables = self.call("due").await?;
        let retired = |key: &ApiKey| Some((key.retires_at?, key.counted()));
        let retired = tables.unrevoked_keys().filter_map(retired);
        let mut due: Vec<_> = retired.filter(|(at, _)| *at <= now).collect();
        due.sort_unstable();
        let ids = due.into_iter().map(|(_, id)| id);
        Ok(ids.take(DUE_AT_ONCE).collect())
    }

    async fn changes(&self, after: ChangeNumber) -> Result<Vec<Change>> {
        let tables = self.call("changes").await?;
        let changes = (1..).zip(&tables.changes);
        let change = |(number, key): (u64, &KeyId)| {
            let stored = &tables.keys[key];
            Change {
                number: ChangeNumber(number),
                prefix: stored.record.key.prefix.clone(),
                credential: stored.record.credential.clone(),
                state: stored.state(),
            }
        };
        let changes = changes.filter(|(number, _)| *number > after.0).map(change);
        let changes: Vec<_> = changes.take(CHANGES_AT_ONCE).collect();
        self.faults.sized("changes", changes.len());
        Ok(changes)
    }

    async fn newest_change(&self) -> Result<ChangeNumber> {
        let tables = self.call("newest_change").await?;
        Ok(ChangeNumber(tables.changes.len() as u64))
    }
}
