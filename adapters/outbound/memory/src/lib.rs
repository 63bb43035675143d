//! What one process keeps in its memory: the limiter and the pacer that one machine needs, keys of
//! an identity provider that nobody else asks, and stand-ins of the other outbound ports for tests.

mod bank;
mod clock;
mod identity;
mod journal;
mod limiter;
mod pacer;
mod store;

pub use bank::*;
pub use clock::{CountingRandom, ManualClock};
pub use identity::{ScriptedIdentity, SignOut};
pub use journal::MemoryJournal;
pub use limiter::InProcessLimiter;
pub use pacer::InProcessPacer;
pub use store::MemoryStore;
