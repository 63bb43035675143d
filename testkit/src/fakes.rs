//! Fakes of the outbound ports, for tests of the application and of inbound adapters.
//!
//! Each fake keeps the contract suite of its port (`tests/stores.rs`, `bank.rs`), and fails when a
//! test tells it to.

mod bank;
mod clock;
mod identity;
mod journal;
mod store;

use std::error::Error;
use std::sync::Arc;

use ports::Cause;

pub use bank::{Script, ScriptedBank, by_amount, unsealed_proof};
pub use clock::{CountingRandom, ManualClock};
pub use identity::{ScriptedIdentity, SignOut};
pub use journal::MemoryJournal;
pub use store::MemoryStore;

/// The cause of a fake's error.
fn cause(text: &'static str) -> Cause {
    Arc::from(Box::<dyn Error + Send + Sync>::from(text))
}
