//! Cache of credentials, which the change feed keeps complete.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use domain::keys::{Credential, KeyPrefix};

use crate::sync::rounds::{Round, Rounds};

/// Maximum number of cached credentials.
pub(super) const CREDENTIALS: usize = 100_000;
/// Maximum number of requests that wait for the change feed; further ones don't wait.
const WAITING: usize = 1_024;

/// A cache of credentials. A credential never changes, so entries are evicted only when the cache is full.
/// Every request reads the cache; a read takes a shared lock only.
///
/// It is filled at startup, and the [`ChangeFeed`](crate::ChangeFeed) adds keys that are created later. So
/// while somebody guesses keys and lookups are throttled, valid keys need none.
pub struct CredentialCache {
    entries: RwLock<HashMap<KeyPrefix, Arc<Credential>>>,
    capacity: usize,
    rounds: Rounds,
}

impl Default for CredentialCache {
    fn default() -> Self {
        Self::new(CREDENTIALS)
    }
}

impl CredentialCache {
    fn new(capacity: usize) -> Self {
        Self {
            entries: RwLock::default(),
            capacity,
            rounds: Rounds::new(WAITING),
        }
    }

    /// Begins a round of the change feed.
    pub(crate) fn begin_round(&self) -> Round {
        self.rounds.begin()
    }

    /// Ends the rounds of the change feed; waiting requests continue.
    pub(crate) fn end_rounds(&self) {
        self.rounds.stop();
    }

    /// Waits until the keys that exist now are cached, normally for a quarter of a second. Returns at once if
    /// no change feed runs or too many requests wait already.
    pub(super) async fn catch_up(&self) {
        self.rounds.next().await;
    }

    pub(super) fn get(&self, prefix: &KeyPrefix) -> Option<Arc<Credential>> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.get(prefix).map(Arc::clone)
    }

    /// Inserts a credential; if the cache is full, an arbitrary entry is evicted.
    pub(crate) fn insert(&self, prefix: KeyPrefix, credential: Arc<Credential>) {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= self.capacity && !entries.contains_key(&prefix) {
            let any = entries.keys().next().cloned();
            any.and_then(|any| entries.remove(&any));
        }
        entries.insert(prefix, credential);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ports::contract::fixture::{customer, record_of};

    #[test]
    fn the_cache_keeps_to_its_capacity_and_has_the_newest_credential() {
        let cache = CredentialCache::new(3);
        let mut prefixes = Vec::new();
        for number in 1..=5 {
            let record = record_of(&customer(1), number);
            let (prefix, credential) = (record.key.prefix.clone(), Arc::new(record.credential));
            for _ in 0..2 {
                cache.insert(prefix.clone(), Arc::clone(&credential));
                assert_eq!(cache.get(&prefix).unwrap().id, credential.id);
            }
            prefixes.push(prefix);
        }
        let kept = prefixes.iter().filter_map(|prefix| cache.get(prefix));
        assert_eq!(kept.count(), 3);
    }
}
