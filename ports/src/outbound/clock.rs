//! Time and randomness.

use std::time::Duration;

use chrono::{DateTime, Utc};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The wall clock, to the millisecond. It may jump.
    fn now(&self) -> DateTime<Utc>;

    /// A clock that starts anywhere and never goes back. Measures spans.
    fn monotonic(&self) -> Duration;
}

/// Makes random bytes fit for secrets.
pub trait Random: Send + Sync {
    /// Fills the buffer.
    fn fill(&self, buffer: &mut [u8]);
}
