//! Keyed mutex: one task at a time for each key.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::iter;
use std::sync::Arc;

use futures::lock::{Mutex, MutexGuard, OwnedMutexGuard};

/// A fixed number of mutexes (stripes), of which each key has one. Keys that share a stripe wait for
/// each other; which ones do is another in each process, so that nobody can choose keys that block
/// a certain other one.
pub(crate) struct KeyedMutex {
    stripes: Vec<Arc<Mutex<()>>>,
    hasher: RandomState,
}

/// Keys that are locked together, until it is dropped.
#[derive(Default)]
pub(crate) struct LockedKeys {
    #[expect(dead_code, reason = "dropping the guards unlocks the keys")]
    guards: Vec<OwnedMutexGuard<()>>,
}

impl KeyedMutex {
    /// At most `stripes` keys, and at least one, are locked at the same time.
    pub(crate) fn new(stripes: usize) -> Self {
        Self {
            stripes: iter::repeat_with(Arc::default)
                .take(stripes.max(1))
                .collect(),
            hasher: RandomState::new(),
        }
    }

    /// Locks a key until the guard is dropped.
    pub(crate) async fn lock(&self, key: &(impl Hash + Sync)) -> MutexGuard<'_, ()> {
        self.stripes[self.stripe(key)].lock().await
    }

    /// Locks several keys together. Callers with some of the same keys wait for each other, and never for ever:
    /// all lock in one order.
    pub(crate) async fn lock_all(
        &self,
        keys: impl IntoIterator<Item = impl Hash> + Send,
    ) -> LockedKeys {
        let stripes: BTreeSet<_> = keys.into_iter().map(|key| self.stripe(&key)).collect();
        let mut guards = Vec::with_capacity(stripes.len());
        for stripe in stripes {
            guards.push(Arc::clone(&self.stripes[stripe]).lock_owned().await);
        }
        LockedKeys { guards }
    }

    fn stripe(&self, key: &impl Hash) -> usize {
        let stripe = self.hasher.hash_one(key) % self.stripes.len() as u64;
        usize::try_from(stripe).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn a_key_is_locked_by_one_at_a_time() {
        let mutex = KeyedMutex::new(4);
        let first = mutex.lock(&7).now_or_never().expect("it is free");
        assert!(mutex.lock(&7).now_or_never().is_none());
        drop(first);
        assert!(mutex.lock(&7).now_or_never().is_some());
    }

    #[test]
    fn no_more_keys_are_locked_than_there_are_stripes() {
        let mutex = KeyedMutex::new(4);
        let locks = (0..1_000).filter_map(|key| mutex.lock(&key).now_or_never());
        assert_eq!(locks.collect::<Vec<_>>().len(), 4);
    }

    #[test]
    fn keys_that_are_locked_together_are_locked_once_and_in_one_order() {
        let mutex = KeyedMutex::new(4);
        let all = mutex.lock_all(0..100).now_or_never();
        assert!(
            all.is_some(),
            "keys that share a stripe don't wait for each other"
        );
        let mut upwards = pin!(mutex.lock_all(0..100));
        let mut downwards = pin!(mutex.lock_all((0..100).rev()));
        assert!(upwards.as_mut().now_or_never().is_none());
        assert!(downwards.as_mut().now_or_never().is_none());
        drop(all);
        drop(upwards.now_or_never().expect("they are free"));
        assert!(downwards.now_or_never().is_some());
    }
}
