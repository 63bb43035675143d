//! Credentials that were read once.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use domain::key::{Credential, KeyPrefix};

/// Remembers credentials. They never change, so one is forgotten for want of room alone. Every
/// request reads it, so reading it costs a lock that readers share and nothing else.
pub(crate) struct Credentials {
    known: RwLock<HashMap<KeyPrefix, Arc<Credential>>>,
    most: usize,
}

impl Credentials {
    pub(crate) fn of_at_most(most: usize) -> Self {
        Self {
            known: RwLock::default(),
            most,
        }
    }

    pub(crate) fn get(&self, prefix: &KeyPrefix) -> Option<Arc<Credential>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(prefix).map(Arc::clone)
    }

    /// Remembers one, and forgets any other when there are too many.
    pub(crate) fn insert(&self, prefix: KeyPrefix, credential: Arc<Credential>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= self.most && !known.contains_key(&prefix) {
            let any = known.keys().next().cloned();
            any.and_then(|any| known.remove(&any));
        }
        known.insert(prefix, credential);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ports::contract::fixture::{customer, record_of};

    #[test]
    fn no_more_are_remembered_than_may_be_and_always_the_newest() {
        let credentials = Credentials::of_at_most(3);
        let mut prefixes = Vec::new();
        for number in 1..=5 {
            let record = record_of(&customer(1), number);
            let (prefix, credential) = (record.key.prefix.clone(), Arc::new(record.credential));
            for _ in 0..2 {
                credentials.insert(prefix.clone(), Arc::clone(&credential));
                assert_eq!(credentials.get(&prefix).unwrap().id, credential.id);
            }
            prefixes.push(prefix);
        }
        let kept = prefixes.iter().filter_map(|prefix| credentials.get(prefix));
        assert_eq!(kept.count(), 3);
    }
}
