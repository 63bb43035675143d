//! Rate limits by key: address, session, API key or customer.

use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use domain::limits::rate::{Bucket, Rate, RateExceeded};
use domain::limits::subscriber::subscriber;
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

/// A bucket for each subscriber's addresses, and one for all of them.
pub(crate) struct AddressBuckets {
    addresses: Buckets<IpAddr>,
    rate_of_all: Rate,
    all: Mutex<Bucket>,
}

impl AddressBuckets {
    pub(crate) fn new(rate: Rate, rate_of_all: Rate) -> Self {
        Self {
            addresses: Buckets::new(rate),
            rate_of_all,
            all: Mutex::default(),
        }
    }

    /// Checks that an event of an address is allowed; returns the longer wait otherwise. Counts nothing.
    pub(crate) fn check(&self, address: IpAddr, now: Duration) -> Result<(), RateExceeded> {
        let of_address = self.addresses.check(&subscriber(address), now);
        let of_all = lock(&self.all).check(self.rate_of_all, now);
        let exceeded = [of_address, of_all].into_iter().filter_map(Result::err);
        let longest = exceeded.max_by_key(|exceeded| exceeded.retry_after);
        longest.map_or(Ok(()), Err)
    }

    /// Counts an event of an address, even above the limits.
    pub(crate) fn add(&self, address: IpAddr, now: Duration) {
        self.addresses.add(subscriber(address), now);
        lock(&self.all).add(self.rate_of_all, now);
    }

    /// Counts an event of an address if it is allowed.
    pub(crate) fn take(&self, address: IpAddr, now: Duration) -> Result<(), RateExceeded> {
        self.addresses.take(subscriber(address), now)?;
        lock(&self.all).take(self.rate_of_all, now)
    }
}

fn lock(bucket: &Mutex<Bucket>) -> MutexGuard<'_, Bucket> {
    bucket
        .lock()
        .expect("nothing panics while it holds a bucket")
}
