//! Limits of concurrent tasks per key, with waiting; with one task per key, a mutex for each.

use std::hash::{BuildHasher as _, Hash, RandomState};
use std::iter;
use std::sync::Arc;

use futures::future;
use futures::lock::{Mutex, OwnedMutexGuard};

/// Number of mutexes for the places of all keys, unless it is limited. Two keys rarely share one.
const STRIPES: usize = 4_096;

/// The same maximum number of places for each key.
pub(crate) struct Places {
    of_key: usize,
    stripes: Vec<Arc<Mutex<()>>>,
    /// Differs between processes, so that nobody can choose a key that blocks a certain other key.
    hasher: RandomState,
}

/// A place, free again once this is dropped.
pub(crate) type Place = OwnedMutexGuard<()>;

impl Places {
    /// Creates `of_key` places for each key, at least one.
    pub(crate) fn new(of_key: usize) -> Self {
        Self::over(of_key, STRIPES)
    }

    /// Creates one place for each key, and `most` for all of them, at least one.
    pub(crate) fn exclusive(most: usize) -> Self {
        Self::over(1, most)
    }

    fn over(of_key: usize, stripes: usize) -> Self {
        let stripes = iter::repeat_with(Arc::default).take(stripes.max(1));
        Self {
            of_key: of_key.clamp(1, STRIPES),
            stripes: stripes.collect(),
            hasher: RandomState::new(),
        }
    }

    /// Waits until one of the key's places is free.
    pub(crate) async fn take(&self, key: impl Hash) -> Place {
        let stripes = self.stripes.len();
        let first = self.hasher.hash_one(key) % stripes as u64;
        let first = usize::try_from(first).unwrap_or_default();
        let place =
            |number: usize| Arc::clone(&self.stripes[(first + number) % stripes]).lock_owned();
        let (place, ..) = future::select_all((0..self.of_key).map(place)).await;
        place
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn a_key_has_so_many_places_and_other_keys_have_theirs() {
        let places = Places::new(2);
        let take = |key: u32| places.take(key).now_or_never();
        let (first, second) = (take(0), take(0));
        assert!(first.is_some() && second.is_some());
        assert!(take(0).is_none());
        assert!((1..100).any(|other| take(other).is_some()));
        drop(first);
        assert!(take(0).is_some());
    }

    #[test]
    fn a_key_has_one_exclusive_place_and_all_have_no_more_than_there_are() {
        let places = Places::exclusive(4);
        let first = places.take(7).now_or_never().expect("it is free");
        assert!(places.take(7).now_or_never().is_none());
        drop(first);
        let taken = (0..1_000).filter_map(|key| places.take(key).now_or_never());
        assert_eq!(taken.collect::<Vec<_>>().len(), 4);
    }
}
