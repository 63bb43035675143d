//! Limits of concurrent tasks, per key and for all keys together, without waiting.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard};

/// A maximum number of places for each key, and for all keys together.
pub(crate) struct CountedPlaces<K> {
    of_key: u32,
    in_all: u32,
    taken: Mutex<Taken<K>>,
}

struct Taken<K> {
    by_key: HashMap<K, u32>,
    in_all: u32,
}

/// A place, free again once this is dropped.
pub(crate) struct CountedPlace<K: Eq + Hash> {
    places: Arc<CountedPlaces<K>>,
    key: K,
}

impl<K: Eq + Hash + Copy> CountedPlaces<K> {
    pub(crate) fn new(of_key: u32, in_all: u32) -> Arc<Self> {
        let taken = Taken {
            by_key: HashMap::new(),
            in_all: 0,
        };
        Arc::new(Self {
            of_key,
            in_all,
            taken: Mutex::new(taken),
        })
    }

    /// Takes a place; `None` if the limit of the key or of all keys is reached.
    pub(crate) fn take(self: &Arc<Self>, key: K) -> Option<CountedPlace<K>> {
        let mut taken = self.lock();
        if taken.in_all >= self.in_all {
            return None;
        }
        match taken.by_key.entry(key) {
            Entry::Occupied(of_key) if *of_key.get() >= self.of_key => return None,
            entry => *entry.or_default() += 1,
        }
        taken.in_all += 1;
        Some(CountedPlace {
            places: Arc::clone(self),
            key,
        })
    }
}

impl<K> CountedPlaces<K> {
    fn lock(&self) -> MutexGuard<'_, Taken<K>> {
        self.taken.lock().expect("nothing panics while it counts")
    }
}

impl<K: Eq + Hash> Drop for CountedPlace<K> {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.in_all -= 1;
        if let Some(of_key) = taken.by_key.get_mut(&self.key) {
            *of_key -= 1;
            if *of_key == 0 {
                taken.by_key.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_so_many_places_and_all_keys_have_so_many_together() {
        let places = CountedPlaces::new(2, 3);
        let take = |key| places.take(key);
        let (first, second) = (take('a'), take('a'));
        assert!(first.is_some() && second.is_some());
        assert!(take('a').is_none());
        let third = take('b');
        assert!(third.is_some());
        assert!(take('c').is_none());
        drop(first);
        assert!(take('c').is_some());
        let again = take('a');
        assert!(again.is_some() && take('a').is_none());
        drop((second, third, again));
        assert!(places.lock().by_key.is_empty());
    }
}
