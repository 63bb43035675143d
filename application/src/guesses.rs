//! A bound on what guessing keys may cost the store.
//!
//! Only look-ups of prefixes that nobody has are counted, so callers with good keys never pay,
//! unless somebody guesses from the very same address. A key that was seen before is cached and
//! isn't looked up at all.

use std::net::IpAddr;
use std::time::Duration;

use moka::sync::Cache;
use std::sync::{Arc, Mutex};

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

#[derive(Clone, Copy)]
struct Rate {
    burst: u32,
    interval: Duration,
}

/// Counts look-ups of unknown prefixes.
pub(crate) struct Guesses {
    addresses: Cache<IpAddr, Arc<Mutex<Bucket>>>,
    altogether: Mutex<Bucket>,
}

impl Guesses {
    pub(crate) fn new() -> Self {
        let addresses = Cache::builder()
            .max_capacity(ADDRESSES)
            .time_to_idle(Duration::from_mins(1));
        Self {
            addresses: addresses.build(),
            altogether: Mutex::default(),
        }
    }

    /// Whether a prefix that isn't cached may be looked up for `address`.
    pub(crate) fn may_look_up(&self, address: IpAddr, now: Duration) -> bool {
        let from_address = self.addresses.get(&address);
        from_address.is_none_or(|bucket| !is_full(&bucket, PER_ADDRESS, now))
            && !is_full(&self.altogether, ALTOGETHER, now)
    }

    /// Counts a look-up that found nobody.
    pub(crate) fn count(&self, address: IpAddr, now: Duration) {
        let from_address = self.addresses.get_with(address, Arc::default);
        add(&from_address, PER_ADDRESS, now);
        add(&self.altogether, ALTOGETHER, now);
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

    fn guess(guesses: &Guesses, address: IpAddr, now: Duration) -> bool {
        let allowed = guesses.may_look_up(address, now);
        if allowed {
            guesses.count(address, now);
        }
        allowed
    }

    #[test]
    fn an_address_that_guesses_is_cut_off_and_others_are_not() {
        let guesses = Guesses::new();
        let looked_up = (0..1_000)
            .filter(|_| guess(&guesses, ATTACKER, Duration::ZERO))
            .count();
        assert_eq!(looked_up, 50);
        assert!(guesses.may_look_up(CUSTOMER, Duration::ZERO));
        assert!(guesses.may_look_up(ATTACKER, Duration::from_millis(200)));
    }

    #[test]
    fn many_addresses_together_are_bounded_too() {
        let guesses = Guesses::new();
        let mut looked_up = 0;
        for host in 0..=255 {
            for _ in 0..50 {
                looked_up += u32::from(guess(
                    &guesses,
                    IpAddr::from([10, 0, 0, host]),
                    Duration::ZERO,
                ));
            }
        }
        assert_eq!(looked_up, 1_000);
    }
}
