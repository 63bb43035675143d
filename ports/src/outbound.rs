//! Outbound ports: services that the application needs.

mod archive;
mod bank;
mod batches;
mod clock;
mod idempotency;
mod identity;
mod insight_store;
mod journal;
mod key_store;
mod limiter;
mod lookup_notifications;
mod lookups;
mod own_accounts;
mod pacer;
mod participants;
mod proof_pdf;
mod receipt_reader;
mod replicas;
mod seal_validator;
mod seals;
mod secret_fingerprints;
mod seen_proofs;
mod webhooks;
mod workbooks;
mod zip_files;

pub use crate::{JournalError, Receipt, StoreError};
pub use archive::{ArchivedProof, Cipher, CipherError, ProofArchive};
pub use bank::{Bank, BankAnswer, BankError, BankFiles, Lookup};
pub use batches::{
    BatchAddition, BatchBounds, BatchCancellation, BatchChange, BatchFacts, BatchFeed, BatchFilter,
    BatchProgress, BatchRelease, BatchStore, CanceledLookup, ClaimedBatch, FeedCharge,
    ImportedProof, NewBatch, RowLookup, StoredBatch,
};
pub use clock::{Clock, Random, Timer, new_id};
pub use idempotency::{EarlierRequest, IdempotencyStore, NewClaim, ScopeClaim};
pub use identity::{
    AccessToken, AuthorizationRequest, Claims, CodeGrant, Denial, DenyList, Fingerprint,
    IdentityError, IdentityProvider, TokenError,
};
pub use insight_store::{AuditLog, CustomerStore, UsageReader, UsageRow};
pub use journal::{AdmissionEntry, RefusalEntry, RequestEntry, UsageJournal};
pub use key_store::{
    Change, ChangeNumber, InsertError, KeyChange, KeyRecord, KeyState, KeyStore, ListError,
    RotateError, Rotation, Scope, Snapshot, Successor, UpdateError,
};
pub use limiter::{Charge, Limiter, LimiterError, Verdict};
pub use lookup_notifications::{LookupNotification, LookupNotifications};
pub use lookups::{
    BatchRow, Cancellation, ClaimEnd, ClaimedClasses, ClaimedLookup, Lease, LookupChange,
    LookupFacts, LookupFilter, LookupStore, NewLookup, QueuedClass, StoredLookup,
};
pub use own_accounts::{OwnAccountStore, StoredAccounts};
pub use pacer::{AcquireError, Pacer, PacerError, PacerState};
pub use participants::{CatalogueStore, CatalogueVersion, ParticipantSource, RenewalClaim};
pub use proof_pdf::ProofPdfReader;
pub use receipt_reader::ReceiptReader;
pub use replicas::ReplicaRegistry;
pub use seal_validator::{SealValidator, ValidatedFile};
pub use seals::{MAX_SAMPLES, SealChecks, SealSample, SealStore, SealVerifier, StoredSealKey};
pub use secret_fingerprints::{DatabaseSecret, SecretCheck, SecretFingerprints};
pub use seen_proofs::SeenProofs;
pub use webhooks::{
    AddEndpointError, ClaimedDelivery, DeliveryEnd, EncryptedSecret, EndpointChange,
    OutgoingMessage, QueuedDeliveries, ReceiverAnswer, Resending, StoredDelivery, StoredEndpoint,
    WebhookSender, WebhookStore,
};
pub use workbooks::{Workbook, WorkbookReader};
pub use zip_files::{ZipFiles, ZipReader, ZippedFile};
