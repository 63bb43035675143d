//! What we ask of the outside.

mod bank;
mod clock;
mod journal;
mod key_store;
mod limiter;

pub use bank::{Bank, BankAnswer, BankError, BankFiles, Lookup, ThrottleReason};
pub use clock::{Clock, Random, new_id};
pub use journal::{AdmissionEntry, JournalError, Receipt, RequestEntry, UsageJournal};
pub use key_store::{
    Change, ChangeNumber, InsertError, KeyRecord, KeyState, KeyStore, Snapshot, StoreError,
    UpdateError,
};
pub use limiter::{Limiter, LimiterError, Verdict};
