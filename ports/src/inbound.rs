//! Inbound ports: the application's use cases.

mod admission;
mod batches;
mod health;
mod insights;
mod keys;
mod lookups;
mod participants;
mod people;
mod person_lookups;
mod proofs;
mod requests;
mod webhooks;

pub use admission::{AdmissionError, AdmissionRequest, NotDurable};
pub use batches::{
    BatchAccess, BatchChanges, BatchDraft, BatchError, BatchPreview, BatchQuery, BatchRead,
    BatchRows, BatchView, Batches, CreatedBatch, DeliveredRow, DraftRow, FaultyRow, FileUse,
    ImportReport, RepeatableBatch, RowOutcome, RowView, RowWarning, UnusedReason, UploadPlace,
    UploadedFile,
};
pub use health::{Component, ComponentState, Health};
pub use insights::{BankHealth, BankState, Insights, Series, SeriesLabel, UsageReport};
pub use keys::{CreatedKey, KeyAdministration, KeyError, NewKey, RequestedScope, RotatedKey};
pub use lookups::{
    LookupAccess, LookupError, LookupExchange, LookupQuery, LookupRequest, LookupView, Lookups,
    Read, RemovedLookup,
};
pub use participants::{CatalogueAdministration, Participants, RenewalError};
pub use people::{
    Caller, Person, Session, SessionError, Sessions, SignIn, SignInAnswer, SignInError,
};
pub use person_lookups::{LookupChanges, PersonLookupError, PersonLookupQuery, PersonLookups};
pub use proofs::{Delivery, FetchError, Files, LookupDetails};
pub use requests::{
    AcceptedRequest, BankComparison, CheckExchange, CheckRequest, CheckedFile, CheckedUpload,
    InvalidRequest, NotRepeated, ProofExchange, ProofRequests, RepeatError, RepeatableExchange,
    RepeatedRequest, Reply, ServedRequest, SettledRequest, ZippedCheck,
};
pub use webhooks::{
    CreatedWebhook, DeliveryView, NewWebhook, WebhookChange, WebhookError, WebhookSwitch,
    WebhookView, Webhooks,
};
