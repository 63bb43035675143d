//! Cache of credentials.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use domain::key::{Credential, KeyPrefix};

/// A cache of credentials. They never change, so one is evicted for want of room alone. Every request
/// reads it, so reading costs a shared lock and nothing else.
pub(super) struct CredentialCache {
    entries: RwLock<HashMap<KeyPrefix, Arc<Credential>>>,
    capacity: usize,
}

impl CredentialCache {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            entries: RwLock::default(),
            capacity,
        }
    }

    pub(super) fn get(&self, prefix: &KeyPrefix) -> Option<Arc<Credential>> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.get(prefix).map(Arc::clone)
    }

    /// Inserts a credential, and evicts any other when the cache is full.
    pub(super) fn insert(&self, prefix: KeyPrefix, credential: Arc<Credential>) {
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
