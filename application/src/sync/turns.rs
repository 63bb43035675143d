//! Exclusive access to sets of keys, for one task at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex as SyncMutex, MutexGuard, PoisonError};

use async_lock::{Mutex, MutexGuardArc};

/// A mutex for each key that is held or waited for. A task with many keys delays only tasks that need one of
/// them; tasks that wait for a key get it in the order of their calls.
pub(crate) struct Turns<K: Ord>(Arc<Mutexes<K>>);

struct Mutexes<K>(SyncMutex<BTreeMap<K, Arc<Mutex<()>>>>);

/// Exclusive access to some keys, until it is dropped.
pub(crate) struct Turn<K: Ord>(Vec<Held<K>>);

/// A key that a task holds or waits for.
struct Held<K: Ord> {
    mutexes: Arc<Mutexes<K>>,
    key: K,
    guard: Option<MutexGuardArc<()>>,
}

impl<K: Ord> Default for Turns<K> {
    fn default() -> Self {
        Self(Arc::new(Mutexes(SyncMutex::default())))
    }
}

impl<K: Ord> Default for Turn<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord> Turn<K> {
    /// The keys that are held.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|held| &held.key)
    }
}

impl<K: Ord + Clone> Turns<K> {
    /// Waits for these keys. All callers lock them in ascending order, so there is no deadlock.
    pub(crate) async fn take(&self, keys: BTreeSet<K>) -> Turn<K> {
        let mut turn = Turn::default();
        for key in keys {
            let lock = self.0.all().entry(key.clone()).or_default().lock_arc();
            let mut held = Held {
                mutexes: Arc::clone(&self.0),
                key,
                guard: None,
            };
            held.guard = Some(lock.await);
            turn.0.push(held);
        }
        turn
    }
}

impl<K> Mutexes<K> {
    fn all(&self) -> MutexGuard<'_, BTreeMap<K, Arc<Mutex<()>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Ord> Drop for Held<K> {
    /// Removes the key's mutex, unless another task holds it or waits for it.
    fn drop(&mut self) {
        drop(self.guard.take());
        let mut mutexes = self.mutexes.all();
        let is_last = |mutex: &Arc<Mutex<()>>| Arc::strong_count(mutex) == 1;
        if mutexes.get(&self.key).is_some_and(is_last) {
            mutexes.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt as _;

    use super::*;

    fn kept(turns: &Turns<u32>) -> usize {
        turns.0.all().len()
    }

    #[test]
    fn a_key_is_of_one_at_a_time_and_delays_no_other() {
        let turns = Turns::default();
        let many = turns.take((0..10_000).collect()).now_or_never();
        assert!(turns.take([7].into()).now_or_never().is_none());
        assert!(turns.take([10_000].into()).now_or_never().is_some());
        drop(many);
        assert!(turns.take([7].into()).now_or_never().is_some());
    }

    #[test]
    fn those_who_want_the_same_keys_have_them_one_after_another() {
        let turns = Turns::default();
        let first = turns.take([2, 1].into()).now_or_never();
        let mut second = pin!(turns.take([1, 2, 3].into()));
        let mut third = pin!(turns.take([3, 2].into()));
        assert!(second.as_mut().now_or_never().is_none());
        assert!(third.as_mut().now_or_never().is_none());
        drop(first);
        let second = second.now_or_never().expect("its keys are free");
        assert!(third.as_mut().now_or_never().is_none());
        drop(second);
        assert!(third.now_or_never().is_some());
    }

    #[test]
    fn whoever_came_first_goes_first() {
        let turns = Turns::default();
        let take = || Box::pin(turns.take([1].into()));
        let first = take().now_or_never();
        let (mut second, mut third) = (take(), take());
        assert!(second.as_mut().now_or_never().is_none());
        assert!(third.as_mut().now_or_never().is_none());
        drop(first);
        let second = second.now_or_never().expect("it waited longest");
        let mut fourth = take();
        assert!(fourth.as_mut().now_or_never().is_none());
        drop(second);
        assert!(fourth.as_mut().now_or_never().is_none());
        assert!(third.now_or_never().is_some());
    }

    #[test]
    fn nothing_is_kept_of_keys_that_nobody_has_or_waits_for() {
        let turns = Turns::default();
        let first = turns.take([1].into()).now_or_never();
        let mut gives_up = Box::pin(turns.take([0, 1].into()));
        assert!(gives_up.as_mut().now_or_never().is_none());
        assert_eq!(kept(&turns), 2);
        drop(first);
        drop(gives_up);
        assert_eq!(kept(&turns), 0);
    }
}
