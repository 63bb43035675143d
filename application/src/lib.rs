//! The use cases: they implement the inbound ports with the outbound ones.
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
//! - `participants`: the catalogue of participants ([`SharedCatalogue`]), and its renewal
//!   ([`CatalogueRenewal`]);
//! - `people`: sessions ([`SessionService`]) and authorization;
//! - `insights`: what the dashboard shows ([`InsightsService`]);
//! - `seals`: checks of proofs' seals ([`SealService`]), and their keys ([`SealAdministration`]);
//! - `idempotency`: recognition of repeated requests ([`IdempotencyService`]);
//! - `health`: readiness ([`HealthService`]);
//! - `webhooks`: endpoints of people's accounts ([`WebhookService`]), and the deliveries to them
//!   ([`DeliveryWorker`]);
//! - `sync`: circuit breaker, keyed mutex, rounds and signals.

mod admission;
mod bank;
mod batches;
mod checks;
mod health;
mod idempotency;
mod insights;
mod keys;
mod limits;
mod lookups;
mod participants;
mod people;
mod proofs;
mod seals;
mod sync;
mod webhooks;

pub use admission::{
    Admission, ChargedRequest, CredentialCache, GatekeeperService, Identified, Settlement,
};
pub use bank::{BankMonitor, FallbackPacer};
pub use batches::{
    BatchEncryption, BatchFeeder, BatchPlaces, BatchService, BatchSources, FeederParts,
    ImportedFiles,
};
pub use checks::{ProofCheckService, SealVerdicts, ZippedReport};
pub use health::HealthService;
pub use idempotency::IdempotencyService;
pub use insights::{InsightSources, InsightsService};
pub use keys::{KeyService, Retirement, SecretsError, recognise_secrets};
pub use limits::{
    ChangeFeed, CountSource, FallbackLimiter, LimiterMode, Reconciliation, ReplicaCount,
    ReplicaMonitor,
};
pub use lookups::{
    LookupEncryption, LookupListener, LookupReader, LookupService, LookupSignals, LookupWorker,
    PersonLookupService, PersonLookupSources, WorkerParts,
};
pub use participants::{CatalogueRenewal, RenewalRound, SharedCatalogue};
pub use people::{BrowserAddresses, SessionService};
pub use proofs::{
    ArchiveParts, ArchiveService, BankBySide, Compute, DeliveryHistory, FetchReport, FileChecks,
    ProofCache, ProofMemory, ProofRequest, ProofRequestService, ProofService, ProofSource,
    RequestSteps, SpawnTask,
};
pub use seals::{
    BuiltinSealKey, MIN_CONFIRMING_SAMPLES, RecoveryCandidate, SealAdministration, SealImportError,
    SealService,
};
pub use sync::WorkSignal;
pub use webhooks::{
    DeliveryWorker, DeliveryWorkerParts, Reencrypted, WebhookEncryption, WebhookReencryption,
    WebhookService, WebhookSources,
};
