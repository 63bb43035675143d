//! Ports: clocks, timer and randomness; and ids generated from them.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::{Builder, Uuid};

/// Port: wall clock and monotonic clock.
pub trait Clock: Send + Sync {
    /// The wall clock's time, truncated to milliseconds. It may jump when the clock is set.
    fn now(&self) -> DateTime<Utc>;

    /// Time of a monotonic clock since an arbitrary origin, for measuring durations.
    fn monotonic(&self) -> Duration;
}

/// Port: asynchronous timer.
#[async_trait]
pub trait Timer: Send + Sync {
    /// Returns after at least `span`.
    async fn pause(&self, span: Duration);
}

/// Port: cryptographically secure random bytes.
pub trait Random: Send + Sync {
    /// Fills the buffer with random bytes.
    fn fill(&self, buffer: &mut [u8]);
}

/// Generates an id: a version 7 UUID (RFC 9562), ordered by time so that new rows are adjacent in an index.
pub fn new_id(clock: &dyn Clock, random: &dyn Random) -> Uuid {
    let mut bytes = [0; 10];
    random.fill(&mut bytes);
    let millis = u64::try_from(clock.now().timestamp_millis()).unwrap_or_default();
    Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
}
