//! Mutexes by key.

use std::hash::{BuildHasher as _, Hash, RandomState};
use std::iter;

use futures::lock::{Mutex, MutexGuard};

/// A fixed number of mutexes (stripes), to which keys are assigned by hash. Keys with the same stripe wait
/// for each other. The hash differs between processes, so that nobody can choose keys that block a certain
/// other key.
pub(crate) struct KeyedMutex {
    stripes: Vec<Mutex<()>>,
    hasher: RandomState,
}

impl KeyedMutex {
    /// Creates a mutex with this number of stripes, at least one; as many keys can be locked at the same
    /// time.
    pub(crate) fn new(stripes: usize) -> Self {
        Self {
            stripes: iter::repeat_with(Mutex::default)
                .take(stripes.max(1))
                .collect(),
            hasher: RandomState::new(),
        }
    }

    /// Locks a key until the guard is dropped.
    pub(crate) async fn lock(&self, key: &(impl Hash + Sync)) -> MutexGuard<'_, ()> {
        let stripe = self.hasher.hash_one(key) % self.stripes.len() as u64;
        let stripe = usize::try_from(stripe).unwrap_or_default();
        self.stripes[stripe].lock().await
    }
}

#[cfg(test)]
mod tests {
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
}
