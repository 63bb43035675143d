//! What one process keeps in its memory: the limiter that one machine needs, and stand-ins of
//! the other outbound ports for tests.

mod bank;
mod clock;
mod identity;
mod journal;
mod limiter;
mod store;

pub use bank::*;
pub use clock::{CountingRandom, ManualClock};
pub use identity::{ScriptedIdentity, SignOut};
pub use journal::MemoryJournal;
pub use limiter::InProcessLimiter;
pub use store::MemoryStore;
