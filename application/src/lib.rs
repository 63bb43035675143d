//! The use cases that inbound adapters call; they depend on the outbound ports.
//!
//! - `admission`: keys and limits of proof requests ([`GatekeeperService`]);
//! - `proofs`: a whole proof request ([`ProofRequestService`]), the lookup of a proof
//!   ([`ProofService`]), and the archive of issued ones ([`ArchiveService`]);
//! - `limits`: the fallback for an outage of the shared limiter ([`FallbackLimiter`]), and its
//!   synchronisation with the store ([`ChangeFeed`], [`Reconciliation`]);
//! - `lookups`: stored lookups of the API's callers ([`LookupService`]) and of people
//!   ([`PersonLookupService`]), and their attempts ([`LookupWorker`]);
//! - `batches`: files of many payments ([`BatchService`]), and the lookups that are made of their rows
//!   ([`BatchFeeder`]);
//! - `bank`: the fallback for an outage of the shared pacer ([`FallbackPacer`]), and the health of
//!   the banks ([`BankMonitor`]);
//! - `checks`: checks of a proof that somebody sent ([`ProofCheckService`]);
//! - `keys`: administration of keys and plans ([`KeyService`]), and the end of grace periods
//!   ([`Retirement`]);
//! - `own_accounts`: accounts that customers receive transfers on ([`OwnAccountService`]);
//! - `participants`: the catalogue of participants ([`SharedCatalogue`]), and its renewal
//!   ([`CatalogueRenewal`]);
//! - `people`: sessions ([`SessionService`]) and authorization;
//! - `insights`: what the dashboard shows ([`InsightsService`]);
//! - `receipts`: reading of receipts ([`ReceiptReading`]);
//! - `restore`: safety measures after a restore ([`end_revived`]);
//! - `seals`: checks of proofs' seals ([`SealService`]), and their keys ([`SealAdministration`]);
//! - `idempotency`: recognition of repeated requests ([`IdempotencyService`]);
//! - `health`: readiness ([`HealthService`]);
//! - `webhooks`: endpoints of people's accounts ([`WebhookService`]), and the deliveries to them
//!   ([`DeliveryWorker`]);
//! - `sync`: circuit breaker, limits of concurrency, rounds, signals, and the worker that the queues of lookups,
//!   batches and webhooks share.
#![warn(missing_docs)]

mod admission;
mod bank;
mod batches;
mod checks;
mod encryption;
mod health;
mod idempotency;
mod insights;
mod keys;
mod limits;
mod lookups;
mod metrics;
mod own_accounts;
mod participants;
mod people;
mod proofs;
mod receipts;
mod restore;
mod seals;
mod sync;
mod webhooks;

pub use admission::{
    Admission, AdmissionError, AdmissionRequest, ChargedRequest, CredentialCache,
    GatekeeperService, Identified, NamedKey, NotDurable, RequestKey, Settlement,
};
pub use bank::{BankMonitor, FallbackPacer};
pub use batches::{
    BatchAccess, BatchChanges, BatchDraft, BatchEncryption, BatchError, BatchFeeder, BatchPlaces,
    BatchPreview, BatchQuery, BatchRead, BatchRows, BatchService, BatchSources, BatchView,
    CreatedBatch, DeliveredRow, DraftRow, FaultyRow, FeederParts, FileUse, ImportReport,
    ImportedFiles, RepeatableBatch, RowOutcome, RowView, RowWarning, UnusedReason, UploadPlace,
    UploadedFile, Uploader,
};
pub use checks::{ProofCheckService, SealVerdicts, ZippedReport};
pub use health::{Component, ComponentState, HealthService};
pub use idempotency::IdempotencyService;
pub use insights::{
    BankHealth, BankState, InsightSources, InsightsService, Series, SeriesLabel, UsageReport,
};
pub use keys::{
    CreatedKey, KeyError, KeyService, NewKey, NewLimits, NewLimitsError, RequestedScope,
    Retirement, RotatedKey, SecretsError, recognise_secrets,
};
pub use limits::{
    ChangeFeed, CountSource, FallbackLimiter, LimiterMode, Reconciliation, ReplicaCount,
    ReplicaMonitor,
};
pub use lookups::{
    LookupAccess, LookupChanges, LookupEncryption, LookupError, LookupListener, LookupQuery,
    LookupReader, LookupRequest, LookupService, LookupSignals, LookupView, LookupWorker,
    PersonLookupError, PersonLookupQuery, PersonLookupService, PersonLookupSources, Read,
    RemovedLookup, WorkerParts,
};
pub use own_accounts::{
    AccountReencryption, NewOwnAccount, OwnAccountFailure, OwnAccountService, OwnAccounts,
};
pub use participants::{CatalogueRenewal, RenewalError, RenewalRound, SharedCatalogue};
pub use people::{
    AccountKeys, BrowserAddresses, Caller, Person, Session, SessionError, SessionService, SignIn,
    SignInAnswer, SignInError,
};
pub use proofs::{
    Answered, ArchiveParts, ArchiveService, BankBySide, BankComparison, Charge, CheckRequest,
    CheckedFile, CheckedUpload, Compute, Delivery, DeliveryHistory, FetchError, FetchReport,
    FileChecks, Files, LookupDetails, NotRepeated, PrintedParts, PrintedProofs, ProofCache,
    ProofMemory, ProofParts, ProofRequest, ProofRequestService, ProofService, ProofSource,
    Question, RepeatError, Reply, SealValidation, SecondOpinions, Served, ValidatorBySide,
    ZippedCheck,
};
pub use receipts::{FollowUp, ReceiptAnswer, ReceiptReading, ReceiptRequest};
pub use restore::end_revived;
pub use seals::{
    BuiltinSealKey, MIN_CONFIRMING_SAMPLES, RecoveryCandidate, SealAdministration, SealImportError,
    SealService,
};
pub use sync::{SpawnTask, WorkSignal};
pub use webhooks::{
    CreatedWebhook, DeliveryView, DeliveryWorker, DeliveryWorkerParts, NewWebhook, Reencrypted,
    WebhookChange, WebhookEncryption, WebhookError, WebhookReencryption, WebhookService,
    WebhookSources, WebhookSwitch, WebhookView,
};
