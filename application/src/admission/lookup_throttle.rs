//! Throttle of key look-ups: a bound on the cost of guessed keys to the store.
//!
//! Only look-ups of unknown prefixes are counted, so callers with good keys never pay, unless
//! somebody guesses from the very same address. A key that was seen before is cached and isn't
//! looked up at all.
//!
//! A prefix is known to be a guess after its look-up only. So a few look-ups run at the same time,
//! and each is checked just before: fewer than [`LOOKUPS`] guesses more than the limits are looked
//! up, however many come at once, while thousands of good keys that come at once queue and are never
//! taken for guesses.
//!
//! The buckets are our own, for they are checked before a look-up and counted after it, and only
//! when it found nobody. `governor` counts with each check, and gives nothing back.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::key::KeyPrefix;
use futures::lock::MutexGuard;
use moka::sync::Cache;

use crate::sync::keyed_mutex::KeyedMutex;

/// Per address: a burst of 50 unknown prefixes, and one more each fifth of a second.
const PER_ADDRESS: Rate = Rate {
    burst: 50,
    interval: Duration::from_millis(200),
};
/// Of all addresses: a burst of 1,000 unknown prefixes, and a hundred more a second.
const GLOBAL: Rate = Rate {
    burst: 1_000,
    interval: Duration::from_millis(10),
};
/// Addresses that are tracked.
const ADDRESSES: u64 = 10_000;
/// Look-ups at the same time: several for each connection that a store has for them.
const LOOKUPS: usize = 16;
/// Mask of the smallest IPv6 network of a subscriber (RFC 6177): inside it, an address costs nothing.
const SUBSCRIBER: u128 = !(u64::MAX as u128);

#[derive(Clone, Copy)]
struct Rate {
    burst: u32,
    interval: Duration,
}

/// Limits look-ups of unknown prefixes.
pub(super) struct KeyLookupThrottle {
    addresses: Cache<IpAddr, Arc<Mutex<Bucket>>>,
    global: Mutex<Bucket>,
    /// Locked while a prefix is looked up.
    lookups: KeyedMutex,
}

/// The limit that forbids a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Throttled {
    /// The address guessed too much.
    #[error("too many unknown keys came from one address")]
    Address,
    /// All addresses together guessed too much: this one need not have.
    #[error("too many unknown keys came from everywhere")]
    Global,
}

impl KeyLookupThrottle {
    pub(super) fn new() -> Self {
        let addresses = Cache::builder()
            .max_capacity(ADDRESSES)
            .time_to_idle(Duration::from_mins(1));
        Self {
            addresses: addresses.build(),
            global: Mutex::default(),
            lookups: KeyedMutex::new(LOOKUPS),
        }
    }

    /// Locks a prefix for its look-up. Of those who look one prefix up, the second finds it cached.
    pub(super) async fn lock(&self, prefix: &KeyPrefix) -> MutexGuard<'_, ()> {
        self.lookups.lock(prefix).await
    }

    /// Checks that a prefix that isn't cached may be looked up for `address`. Counts nothing.
    pub(super) fn check(&self, address: IpAddr, now: Duration) -> Result<(), Throttled> {
        let from_address = self.addresses.get(&subscriber(address));
        if from_address.is_some_and(|bucket| is_full(&bucket, PER_ADDRESS, now)) {
            return Err(Throttled::Address);
        }
        if is_full(&self.global, GLOBAL, now) {
            return Err(Throttled::Global);
        }
        Ok(())
    }

    /// Counts a look-up that found no key.
    pub(super) fn record_unknown(&self, address: IpAddr, now: Duration) {
        let from_address = self.addresses.get_with(subscriber(address), Arc::default);
        add(&from_address, PER_ADDRESS, now);
        add(&self.global, GLOBAL, now);
    }
}

/// The address, or its subscriber's network.
fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & SUBSCRIBER).into(),
        address @ IpAddr::V4(_) => address,
    }
}

/// A leaky bucket (GCRA): the time at which it will be empty.
#[derive(Default)]
struct Bucket {
    empty_at: Duration,
}

fn is_full(bucket: &Mutex<Bucket>, rate: Rate, now: Duration) -> bool {
    let bucket = bucket
        .lock()
        .expect("nothing panics while it holds a bucket");
    bucket.empty_at.saturating_sub(now) + rate.interval > rate.interval * rate.burst
}

fn add(bucket: &Mutex<Bucket>, rate: Rate, now: Duration) {
    let mut bucket = bucket
        .lock()
        .expect("nothing panics while it holds a bucket");
    bucket.empty_at = bucket.empty_at.max(now) + rate.interval;
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATTACKER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const CUSTOMER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn guess(
        throttle: &KeyLookupThrottle,
        address: IpAddr,
        now: Duration,
    ) -> Result<(), Throttled> {
        let allowed = throttle.check(address, now);
        if allowed.is_ok() {
            throttle.record_unknown(address, now);
        }
        allowed
    }

    fn guesses_from(addresses: impl Iterator<Item = IpAddr>) -> (usize, Option<Throttled>) {
        let throttle = KeyLookupThrottle::new();
        let results = addresses.map(|address| guess(&throttle, address, Duration::ZERO));
        let results: Vec<_> = results.collect();
        let looked_up = results.iter().filter(|result| result.is_ok()).count();
        (looked_up, results.last().and_then(|last| last.err()))
    }

    #[test]
    fn an_address_that_guesses_is_cut_off_and_others_are_not() {
        let throttle = KeyLookupThrottle::new();
        let looked_up = (0..1_000)
            .filter(|_| guess(&throttle, ATTACKER, Duration::ZERO).is_ok())
            .count();
        assert_eq!(looked_up, 50);
        assert!(throttle.check(CUSTOMER, Duration::ZERO).is_ok());
        let later = Duration::from_millis(200);
        assert!(throttle.check(ATTACKER, later).is_ok());
    }

    #[test]
    fn many_addresses_together_are_bounded_too_and_told_apart() {
        let addresses = (0..=255).map(|host| IpAddr::from([10, 0, 0, host]));
        let addresses = addresses.flat_map(|address| std::iter::repeat_n(address, 49));
        let expected = (1_000, Some(Throttled::Global));
        assert_eq!(guesses_from(addresses), expected);
    }

    #[test]
    fn the_addresses_of_one_ipv6_subscriber_are_one() {
        let address = |text: String| text.parse::<IpAddr>().unwrap();
        let hosts = (0..200).map(|host| address(format!("2001:db8:0:1:{host:x}::{host:x}")));
        let expected = (50, Some(Throttled::Address));
        assert_eq!(guesses_from(hosts), expected);
        let subscribers = (0..200).map(|network| address(format!("2001:db8:0:{network:x}::1")));
        assert_eq!(guesses_from(subscribers), (200, None));
    }

    #[test]
    fn an_ipv4_address_is_the_same_in_ipv6() {
        let spellings = ["192.0.2.1", "::ffff:192.0.2.1"];
        let addresses = spellings.map(|text| text.parse::<IpAddr>().unwrap());
        let hundred = addresses.into_iter().cycle().take(100);
        assert_eq!(guesses_from(hundred), (50, Some(Throttled::Address)));
        let hosts = (0..=99).map(|host| format!("::ffff:192.0.2.{host}").parse().unwrap());
        assert_eq!(guesses_from(hosts), (100, None));
    }
}
