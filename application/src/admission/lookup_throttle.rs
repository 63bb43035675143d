//! Throttle of key look-ups: a bound on the cost of guessed keys to the store.
//!
//! Only look-ups of wrong keys are counted, so callers with good keys never pay, unless somebody
//! guesses from the very same address. A good key that is cached isn't looked up at all.
//!
//! A key is known to be wrong after its look-up only. So a few look-ups run at the same time,
//! and each is checked just before: fewer than [`LOOKUPS`] guesses more than the limits are looked
//! up, however many come at once, while thousands of good keys that come at once queue and are never
//! taken for guesses.
//!
//! The buckets are our own, for they are checked before a look-up and counted after it, and only
//! when it found nobody. `governor` counts with each check, and gives nothing back.

use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use domain::key::KeyPrefix;
use domain::rate::{Bucket, Rate};
use domain::subscriber::subscriber;
use futures::lock::MutexGuard;

use crate::sync::buckets::{self, Buckets};
use crate::sync::keyed_mutex::KeyedMutex;

/// Per address: a burst of 50 wrong keys, and one more each fifth of a second.
const PER_ADDRESS: Rate = Rate {
    burst: 50,
    interval: Duration::from_millis(200),
};
/// Of all addresses: a burst of 1,000 wrong keys, and a hundred more a second.
const GLOBAL: Rate = Rate {
    burst: 1_000,
    interval: Duration::from_millis(10),
};
/// Look-ups at the same time: several for each connection that a store has for them.
const LOOKUPS: usize = 16;

/// Limits look-ups of wrong keys.
pub(super) struct KeyLookupThrottle {
    addresses: Buckets<IpAddr>,
    global: Mutex<Bucket>,
    /// Locked while a prefix is looked up.
    lookups: KeyedMutex,
}

/// A limit forbids a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Throttled {
    /// Time until a look-up is allowed, if nobody guesses meanwhile.
    pub(super) retry_after: Duration,
}

impl KeyLookupThrottle {
    pub(super) fn new() -> Self {
        Self {
            addresses: Buckets::new(PER_ADDRESS),
            global: Mutex::default(),
            lookups: KeyedMutex::new(LOOKUPS),
        }
    }

    /// Locks a prefix for its look-up. Of those who look one prefix up, the second finds it cached.
    pub(super) async fn lock(&self, prefix: &KeyPrefix) -> MutexGuard<'_, ()> {
        self.lookups.lock(prefix).await
    }

    /// Checks that a key that isn't cached may be looked up for `address`. Counts nothing.
    pub(super) fn check(&self, address: IpAddr, now: Duration) -> Result<(), Throttled> {
        let from_address = self.addresses.check(&subscriber(address), now);
        let from_all = buckets::lock(&self.global).check(GLOBAL, now);
        let waits = [from_address, from_all].into_iter().filter_map(Result::err);
        match waits.map(|full| full.retry_after).max() {
            Some(retry_after) => Err(Throttled { retry_after }),
            None => Ok(()),
        }
    }

    /// Counts a look-up that didn't find the key.
    pub(super) fn record_wrong(&self, address: IpAddr, now: Duration) {
        self.addresses.add(subscriber(address), now);
        buckets::lock(&self.global).add(GLOBAL, now);
    }
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
            throttle.record_wrong(address, now);
        }
        allowed
    }

    /// The number of guesses that were looked up, all at one moment.
    fn looked_up(addresses: impl Iterator<Item = IpAddr>) -> usize {
        let throttle = KeyLookupThrottle::new();
        let results = addresses.map(|address| guess(&throttle, address, Duration::ZERO));
        results.flatten().count()
    }

    #[test]
    fn an_address_that_guesses_is_cut_off_and_others_are_not() {
        let throttle = KeyLookupThrottle::new();
        let looked_up = (0..1_000)
            .filter(|_| guess(&throttle, ATTACKER, Duration::ZERO).is_ok())
            .count();
        assert_eq!(looked_up, 50);
        assert!(throttle.check(CUSTOMER, Duration::ZERO).is_ok());
    }

    #[test]
    fn an_address_that_is_cut_off_is_told_when_it_can_try_again() {
        let throttle = KeyLookupThrottle::new();
        while guess(&throttle, ATTACKER, Duration::ZERO).is_ok() {}
        for (passed, left) in [(0, 200), (1, 199), (199, 1)] {
            let refused = throttle.check(ATTACKER, Duration::from_millis(passed));
            let retry_after = Duration::from_millis(left);
            assert_eq!(refused, Err(Throttled { retry_after }));
        }
        let later = Duration::from_millis(200);
        assert!(guess(&throttle, ATTACKER, later).is_ok());
        assert!(guess(&throttle, ATTACKER, later).is_err());
    }

    #[test]
    fn many_addresses_together_are_bounded_too() {
        let throttle = KeyLookupThrottle::new();
        let addresses = (0..=255).map(|host| IpAddr::from([10, 0, 0, host]));
        let addresses = addresses.flat_map(|address| std::iter::repeat_n(address, 49));
        let results = addresses.map(|address| guess(&throttle, address, Duration::ZERO));
        assert_eq!(results.flatten().count(), 1_000);
        let retry_after = Duration::from_millis(10);
        let refused = throttle.check(CUSTOMER, Duration::ZERO);
        assert_eq!(refused, Err(Throttled { retry_after }));
        assert!(throttle.check(CUSTOMER, retry_after).is_ok());
    }

    #[test]
    fn the_addresses_of_one_ipv6_subscriber_are_one() {
        let address = |text: String| text.parse::<IpAddr>().unwrap();
        let hosts = (0..200).map(|host| address(format!("2001:db8:0:1:{host:x}::{host:x}")));
        assert_eq!(looked_up(hosts), 50);
        let subscribers = (0..200).map(|network| address(format!("2001:db8:0:{network:x}::1")));
        assert_eq!(looked_up(subscribers), 200);
    }
}
