//! Fakes of the outbound ports, for tests of the application and of inbound adapters.
//!
//! The stores, the journal and the bank pass the contract suites of their ports (`tests/stores.rs`,
//! `bank.rs`), the limiter is that of `memory`, which passes its own; the identity provider and the
//! injected faults have tests of their own. Each fails when a test tells it to.

mod bank;
mod clock;
mod faults;
mod identity;
mod journal;
mod limiter;
mod plain_pdf;
mod receipts;
mod seals;
mod store;
mod validator;

use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard};

use ports::Cause;

pub use bank::{Script, ScriptedBank, by_amount, unsealed_proof};
pub use clock::{CountingRandom, ManualClock};
pub use faults::{DRIVER_ERROR, Fault, Faults};
pub use identity::{ScriptedIdentity, SignOut};
pub use journal::MemoryJournal;
pub use limiter::FaultyLimiter;
pub use plain_pdf::{PlainPdfs, plain_pdf};
pub use receipts::PlainReceipts;
pub use seals::{KNOWN_CERTIFICATE, NoPdfs, NoSealKeys, OneSealKey, unknown_certificate};
pub use store::MemoryStore;
pub use validator::ScriptedValidator;

/// Locks the state of a fake.
fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state
        .lock()
        .expect("nothing panics while it holds the state")
}

/// The cause of a fake's error.
fn cause(text: &'static str) -> Cause {
    Arc::from(Box::<dyn Error + Send + Sync>::from(text))
}
