//! Rate limits by key: address, session, API key or customer.

use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use domain::limits::rate::{Bucket, Rate, RateExceeded};
use moka::sync::Cache;

/// Maximum number of tracked keys.
const KEYS: u64 = 10_000;
/// Time without events after which a key isn't tracked any more; its bucket is empty by then.
const IDLE: Duration = Duration::from_mins(1);

/// A bucket for each key, all with the same rate.
pub(crate) struct Buckets<K> {
    rate: Rate,
    buckets: Cache<K, Arc<Mutex<Bucket>>>,
}

impl<K: Eq + Hash + Send + Sync + 'static> Buckets<K> {
    pub(crate) fn new(rate: Rate) -> Self {
        let buckets = Cache::builder().max_capacity(KEYS).time_to_idle(IDLE);
        Self {
            rate,
            buckets: buckets.build(),
        }
    }

    /// Checks that an event of a key is allowed. Counts nothing.
    pub(crate) fn check(&self, key: &K, now: Duration) -> Result<(), RateExceeded> {
        let bucket = self.buckets.get(key);
        bucket.map_or(Ok(()), |bucket| lock(&bucket).check(self.rate, now))
    }

    /// Counts an event of a key, even above the limit.
    pub(crate) fn add(&self, key: K, now: Duration) {
        lock(&self.bucket(key)).add(self.rate, now);
    }

    /// Counts an event of a key if it is allowed.
    pub(crate) fn take(&self, key: K, now: Duration) -> Result<(), RateExceeded> {
        lock(&self.bucket(key)).take(self.rate, now)
    }

    fn bucket(&self, key: K) -> Arc<Mutex<Bucket>> {
        self.buckets.get_with(key, Arc::default)
    }
}

pub(crate) fn lock(bucket: &Mutex<Bucket>) -> MutexGuard<'_, Bucket> {
    bucket
        .lock()
        .expect("nothing panics while it holds a bucket")
}
