//! The machine's own clock and randomness.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use chrono::{DateTime, SubsecRound, Utc};
use ports::outbound::{Clock, Random, Timer, new_id};
use uuid::Uuid;
use zeroize::Zeroize;

/// The machine's clocks.
pub(crate) struct SystemClock {
    started: Instant,
}

impl SystemClock {
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is where time comes in")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(3)
    }

    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }
}

/// A name for this process that no other has.
pub(crate) fn process_id() -> Uuid {
    new_id(&SystemClock::new(), &SystemRandom)
}

/// The runtime's timer.
pub(crate) struct SystemTimer;

#[async_trait]
impl Timer for SystemTimer {
    async fn pause(&self, span: Duration) {
        tokio::time::sleep(span).await;
    }
}

/// The operating system's randomness, fetched for many requests at a time: every request wants a
/// few bytes for its id, and a system call for each is a fortieth of its time.
pub(crate) struct SystemRandom;

/// Bytes that are fetched at a time, and wiped as they are given out.
const FETCHED: usize = 512;

struct Fetched {
    bytes: [u8; FETCHED],
    given: usize,
}

thread_local! {
    static RANDOM: RefCell<Fetched> = const { RefCell::new(Fetched { bytes: [0; FETCHED], given: FETCHED }) };
}

impl Random for SystemRandom {
    fn fill(&self, buffer: &mut [u8]) {
        if buffer.len() > FETCHED {
            return fetch(buffer);
        }
        RANDOM.with_borrow_mut(|random| {
            if FETCHED - random.given < buffer.len() {
                fetch(&mut random.bytes);
                random.given = 0;
            }
            let given = &mut random.bytes[random.given..][..buffer.len()];
            buffer.copy_from_slice(given);
            given.zeroize();
            random.given += buffer.len();
        });
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is where randomness comes in"
)]
fn fetch(buffer: &mut [u8]) {
    getrandom::fill(buffer).expect("a machine without randomness can't keep secrets");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_bytes_are_given_twice() {
        let draw = |length: usize| {
            let mut buffer = vec![0; length];
            SystemRandom.fill(&mut buffer);
            buffer
        };
        let mut seen = HashSet::new();
        for length in [16, 100, 512, 513, 10_000].into_iter().cycle().take(200) {
            assert!(seen.insert(draw(length)));
            assert!(draw(length).iter().any(|byte| *byte != 0));
        }
    }
}
