//! A bound on what guessing keys may cost the store.
//!
//! Only look-ups of prefixes that nobody has are counted, so callers with good keys never pay,
//! unless somebody guesses from the very same address. A key that was seen before is cached and
//! isn't looked up at all.
//!
//! Whether a prefix is a guess is known after its look-up only. So look-ups take turns in a few
//! lanes, and ask in their turn whether they may: fewer than [`LANES`] guesses more than the bounds
//! say are looked up, however many come at once, while thousands of good keys that come at once
//! wait for their turn and are never taken for guesses.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::key::KeyPrefix;
use futures::lock::MutexGuard;
use moka::sync::Cache;

/// Per address: this many unknown prefixes at once, and one more each fifth of a second.
const PER_ADDRESS: Rate = Rate {
    burst: 50,
    interval: Duration::from_millis(200),
};
/// Altogether: this many unknown prefixes at once, and a hundred more a second.
const ALTOGETHER: Rate = Rate {
    burst: 1_000,
    interval: Duration::from_millis(10),
};
/// Addresses that are remembered.
const ADDRESSES: u64 = 10_000;
/// Look-ups at the same time: several for each connection that a store has for them.
const LANES: u64 = 16;
/// What a subscriber has of IPv6 at least (RFC 6177): inside it, an address costs nothing.
const SUBSCRIBER: u128 = !(u64::MAX as u128);

#[derive(Clone, Copy)]
struct Rate {
    burst: u32,
    interval: Duration,
}

/// Counts look-ups of unknown prefixes.
pub(crate) struct KeyLookupThrottle {
    addresses: Cache<IpAddr, Arc<Mutex<Bucket>>>,
    altogether: Mutex<Bucket>,
    lanes: Vec<futures::lock::Mutex<()>>,
    hasher: RandomState,
}

/// Why a prefix may not be looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TooMany {
    /// Its address guessed too much.
    FromAddress,
    /// All together guessed too much: that says nothing about this one.
    Altogether,
}

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FromAddress => "too many unknown keys came from one address",
            Self::Altogether => "too many unknown keys came from everywhere",
        })
    }
}

impl std::error::Error for TooMany {}

impl KeyLookupThrottle {
    pub(crate) fn new() -> Self {
        let addresses = Cache::builder()
            .max_capacity(ADDRESSES)
            .time_to_idle(Duration::from_mins(1));
        Self {
            addresses: addresses.build(),
            altogether: Mutex::default(),
            lanes: (0..LANES)
                .map(|_| futures::lock::Mutex::default())
                .collect(),
            hasher: RandomState::new(),
        }
    }

    /// Waits for the turn of `prefix`, which lasts until the answer is dropped. Those who ask for
    /// one prefix share a lane: the second one finds it cached.
    pub(crate) async fn turn(&self, prefix: &KeyPrefix) -> MutexGuard<'_, ()> {
        let lane = self.hasher.hash_one(prefix) % LANES;
        let lane = usize::try_from(lane).unwrap_or_default();
        self.lanes[lane].lock().await
    }

    /// Whether a prefix that isn't cached may be looked up for `address`.
    pub(crate) fn may_look_up(&self, address: IpAddr, now: Duration) -> Result<(), TooMany> {
        let from_address = self.addresses.get(&subscriber(address));
        if from_address.is_some_and(|bucket| is_full(&bucket, PER_ADDRESS, now)) {
            return Err(TooMany::FromAddress);
        }
        if is_full(&self.altogether, ALTOGETHER, now) {
            return Err(TooMany::Altogether);
        }
        Ok(())
    }

    /// Counts a look-up that found nobody.
    pub(crate) fn count(&self, address: IpAddr, now: Duration) {
        let from_address = self.addresses.get_with(subscriber(address), Arc::default);
        add(&from_address, PER_ADDRESS, now);
        add(&self.altogether, ALTOGETHER, now);
    }
}

/// The address, or the network of which whoever has it has all.
fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & SUBSCRIBER).into(),
        address @ IpAddr::V4(_) => address,
    }
}

/// A leaking bucket (GCRA): the time at which it will be empty.
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
        lookup_throttle: &KeyLookupThrottle,
        address: IpAddr,
        now: Duration,
    ) -> Result<(), TooMany> {
        let allowed = lookup_throttle.may_look_up(address, now);
        if allowed.is_ok() {
            lookup_throttle.count(address, now);
        }
        allowed
    }

    fn guesses_from(addresses: impl Iterator<Item = IpAddr>) -> (usize, Option<TooMany>) {
        let lookup_throttle = KeyLookupThrottle::new();
        let results = addresses.map(|address| guess(&lookup_throttle, address, Duration::ZERO));
        let results: Vec<_> = results.collect();
        let looked_up = results.iter().filter(|result| result.is_ok()).count();
        (looked_up, results.last().and_then(|last| last.err()))
    }

    #[test]
    fn an_address_that_guesses_is_cut_off_and_others_are_not() {
        let lookup_throttle = KeyLookupThrottle::new();
        let looked_up = (0..1_000)
            .filter(|_| guess(&lookup_throttle, ATTACKER, Duration::ZERO).is_ok())
            .count();
        assert_eq!(looked_up, 50);
        assert!(
            lookup_throttle
                .may_look_up(CUSTOMER, Duration::ZERO)
                .is_ok()
        );
        let later = Duration::from_millis(200);
        assert!(lookup_throttle.may_look_up(ATTACKER, later).is_ok());
    }

    #[test]
    fn many_addresses_together_are_bounded_too_and_told_apart() {
        let addresses = (0..=255).map(|host| IpAddr::from([10, 0, 0, host]));
        let addresses = addresses.flat_map(|address| std::iter::repeat_n(address, 49));
        let expected = (1_000, Some(TooMany::Altogether));
        assert_eq!(guesses_from(addresses), expected);
    }

    #[test]
    fn the_addresses_of_one_ipv6_subscriber_are_one() {
        let address = |text: String| text.parse::<IpAddr>().unwrap();
        let hosts = (0..200).map(|host| address(format!("2001:db8:0:1:{host:x}::{host:x}")));
        let expected = (50, Some(TooMany::FromAddress));
        assert_eq!(guesses_from(hosts), expected);
        let subscribers = (0..200).map(|network| address(format!("2001:db8:0:{network:x}::1")));
        assert_eq!(guesses_from(subscribers), (200, None));
    }

    #[test]
    fn an_ipv4_address_is_the_same_in_ipv6() {
        let spellings = ["192.0.2.1", "::ffff:192.0.2.1"];
        let addresses = spellings.map(|text| text.parse::<IpAddr>().unwrap());
        let hundred = addresses.into_iter().cycle().take(100);
        assert_eq!(guesses_from(hundred), (50, Some(TooMany::FromAddress)));
        let hosts = (0..=99).map(|host| format!("::ffff:192.0.2.{host}").parse().unwrap());
        assert_eq!(guesses_from(hosts), (100, None));
    }
}
