//! Ports: time, randomness; and ids made from them.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::{Builder, Uuid};

/// Port: the clocks.
pub trait Clock: Send + Sync {
    /// The wall clock, to the millisecond. It may jump.
    fn now(&self) -> DateTime<Utc>;

    /// Monotonic clock with any origin. Measures durations.
    fn monotonic(&self) -> Duration;
}

/// Port: timer.
#[async_trait]
pub trait Timer: Send + Sync {
    /// Returns after `span`.
    async fn pause(&self, span: Duration);
}

/// Port: random bytes fit for secrets.
pub trait Random: Send + Sync {
    /// Fills the buffer.
    fn fill(&self, buffer: &mut [u8]);
}

/// Generates an id: a version 7 UUID (RFC 9562), ordered by time, so that new rows are adjacent.
pub fn new_id(clock: &dyn Clock, random: &dyn Random) -> Uuid {
    let mut bytes = [0; 10];
    random.fill(&mut bytes);
    let millis = u64::try_from(clock.now().timestamp_millis()).unwrap_or_default();
    Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
}
