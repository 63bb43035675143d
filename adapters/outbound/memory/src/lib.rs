//! What one process keeps in its memory: the limiter that one machine needs, and stand-ins of
//! the other outbound ports for tests.

mod bank;
mod clock;
mod journal;
mod key_store;
mod limiter;

pub use bank::*;
pub use clock::{CountingRandom, ManualClock};
pub use journal::*;
pub use key_store::*;
pub use limiter::InProcessLimiter;
