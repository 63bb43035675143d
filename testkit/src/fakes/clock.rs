//! Clock and randomness under a test's control.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ports::outbound::{Clock, Random, Timer};

use super::lock;

/// Clock that stands still until a test moves it.
#[derive(Debug)]
pub struct ManualClock(Mutex<(DateTime<Utc>, Duration)>);

impl ManualClock {
    /// A clock that shows `now`.
    pub fn at(now: DateTime<Utc>) -> Self {
        Self(Mutex::new((now, Duration::ZERO)))
    }

    /// Moves the wall clock and the monotonic clock on.
    pub fn advance(&self, by: Duration) {
        let mut clocks = self.clocks();
        clocks.0 += by;
        clocks.1 += by;
    }

    /// Sets the wall clock alone, as an operator or a time server would.
    pub fn set_wall(&self, now: DateTime<Utc>) {
        self.clocks().0 = now;
    }

    fn clocks(&self) -> MutexGuard<'_, (DateTime<Utc>, Duration)> {
        lock(&self.0)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        self.clocks().0
    }

    fn monotonic(&self) -> Duration {
        self.clocks().1
    }
}

/// Timer that moves the clock instead of waiting.
#[async_trait]
impl Timer for ManualClock {
    async fn pause(&self, span: Duration) {
        self.advance(span);
    }
}

/// Deterministic bytes, different at each call.
#[derive(Debug)]
pub struct CountingRandom(AtomicU64);

impl Default for CountingRandom {
    /// Starts at a seed whose first bytes aren't all zero, as they are at zero.
    fn default() -> Self {
        Self(AtomicU64::new(0x9E37_79B9_7F4A_7C15))
    }
}

impl Random for CountingRandom {
    fn fill(&self, buffer: &mut [u8]) {
        // SplitMix64 (Steele, Lea, Flood 2014).
        for chunk in buffer.chunks_mut(8) {
            let mut z = self.0.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            chunk.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes()[..chunk.len()]);
        }
    }
}
