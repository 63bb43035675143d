//! Throttle of lookups of keys: limits the load that guessed keys put on the store.
//!
//! Only lookups that don't find a key are counted, so callers with valid keys aren't limited, unless somebody
//! guesses from the same address. Valid keys that are cached need no lookup.
//!
//! Only the lookup shows that a key is wrong. So few lookups run at the same time, and each checks the limits
//! immediately before: at most [`LOOKUPS`] guesses more than allowed are looked up, while thousands of valid
//! keys that arrive together wait in a queue and aren't counted as guesses.
//!
//! The buckets aren't those of `governor`, because they are checked before a lookup and counted after it,
//! only if it found nothing. `governor` counts with each check, and can't undo that.

use std::time::Duration;

use domain::keys::KeyPrefix;
use domain::limits::rate::Rate;

use crate::sync::buckets::AddressBuckets;
use crate::sync::places::{Place, Places};

/// Limit per address: a burst of 50 wrong keys, then one every 200 ms.
const PER_ADDRESS: Rate = Rate {
    burst: 50,
    interval: Duration::from_millis(200),
};
/// Limit for all addresses: a burst of 1,000 wrong keys, then 100 a second.
const GLOBAL: Rate = Rate {
    burst: 1_000,
    interval: Duration::from_millis(10),
};
/// Maximum number of concurrent lookups: several for each database connection that serves them.
const LOOKUPS: usize = 16;

/// Limits lookups of wrong keys.
pub(super) struct KeyLookupThrottle {
    /// Lookups that didn't find a key.
    pub(super) wrong: AddressBuckets,
    /// Locked per prefix during its lookup.
    lookups: Places,
}

impl KeyLookupThrottle {
    pub(super) fn new() -> Self {
        Self {
            wrong: AddressBuckets::new(PER_ADDRESS, GLOBAL),
            lookups: Places::exclusive(LOOKUPS),
        }
    }

    /// Locks a prefix for its lookup. Of concurrent requests with one prefix, the second finds the key
    /// cached.
    pub(super) async fn lock(&self, prefix: &KeyPrefix) -> Place {
        self.lookups.take(prefix).await
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use domain::limits::rate::RateExceeded;

    use super::*;

    const ATTACKER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const CUSTOMER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn guess(
        throttle: &KeyLookupThrottle,
        address: IpAddr,
        now: Duration,
    ) -> Result<(), RateExceeded> {
        let allowed = throttle.wrong.check(address, now);
        if allowed.is_ok() {
            throttle.wrong.add(address, now);
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
        assert!(throttle.wrong.check(CUSTOMER, Duration::ZERO).is_ok());
    }

    #[test]
    fn an_address_that_is_cut_off_is_told_when_it_can_try_again() {
        let throttle = KeyLookupThrottle::new();
        while guess(&throttle, ATTACKER, Duration::ZERO).is_ok() {}
        for (passed, left) in [(0, 200), (1, 199), (199, 1)] {
            let refused = throttle
                .wrong
                .check(ATTACKER, Duration::from_millis(passed));
            let retry_after = Duration::from_millis(left);
            assert_eq!(refused, Err(RateExceeded { retry_after }));
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
        let refused = throttle.wrong.check(CUSTOMER, Duration::ZERO);
        assert_eq!(refused, Err(RateExceeded { retry_after }));
        assert!(throttle.wrong.check(CUSTOMER, retry_after).is_ok());
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
