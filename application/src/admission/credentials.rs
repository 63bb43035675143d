//! Cache of credentials, which the change feed keeps complete.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use domain::key::{Credential, KeyPrefix};

use crate::sync::rounds::{Round, Rounds};

/// Credentials that are cached.
pub(super) const CREDENTIALS: usize = 100_000;
/// Requests that wait for the change feed at the same time; more are answered at once.
const WAITING: usize = 1_024;

/// A cache of credentials. They never change, so one is evicted for want of room alone. Every request
/// reads it, so reading costs a shared lock and nothing else.
///
/// It is loaded at the start, and the [`ChangeFeed`](crate::ChangeFeed) adds keys that are created
/// later, so a good key needs no look-up of its own while somebody guesses.
pub struct CredentialCache {
    entries: RwLock<HashMap<KeyPrefix, Arc<Credential>>>,
    capacity: usize,
    /// Rounds of the change feed.
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

    /// Ends the rounds of the change feed.
    pub(crate) fn end_rounds(&self) {
        self.rounds.stop();
    }

    /// Waits until the keys are cached that were created by now, for a quarter of a second as a rule.
    /// Returns at once when nobody follows the store's changes or too many wait already.
    pub(super) async fn catch_up(&self) {
        self.rounds.next().await;
    }

    pub(super) fn get(&self, prefix: &KeyPrefix) -> Option<Arc<Credential>> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.get(prefix).map(Arc::clone)
    }

    /// Inserts a credential, and evicts any other when the cache is full.
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
