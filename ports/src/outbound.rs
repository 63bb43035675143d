//! What we ask of the outside.

mod bank;
mod clock;
mod identity;
mod insight_store;
mod journal;
mod key_store;
mod limiter;
mod pacer;
mod secret_marks;

pub use bank::{Bank, BankAnswer, BankError, BankFiles, Lookup, ThrottleReason};
pub use clock::{Clock, Random, Timer, new_id};
pub use identity::{
    AccessToken, AuthorizationRequest, Claims, CodeGrant, Denial, DenyList, Fingerprint,
    IdentityError, IdentityProvider, TokenError,
};
pub use insight_store::{AuditLog, CustomerStore, UsageReader, UsageRow};
pub use journal::{
    AdmissionEntry, JournalError, Receipt, RefusalEntry, RequestEntry, UsageJournal,
};
pub use key_store::{
    Change, ChangeNumber, InsertError, KeyChange, KeyRecord, KeyState, KeyStore, ListError,
    RotateError, Rotation, Scope, Snapshot, StoreError, Successor, UpdateError,
};
pub use limiter::{Charge, Limiter, LimiterError, Verdict};
pub use pacer::{AcquireError, Pacer, PacerError, PacerState};
pub use secret_marks::{SecretCheck, SecretFingerprints};
