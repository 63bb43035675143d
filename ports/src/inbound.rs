//! What the outside may ask of us.

mod gatekeeper;
mod health;
mod insights;
mod keys;
mod people;
mod proofs;
mod requests;

pub use gatekeeper::{
    Admission, AdmissionError, AdmissionRequest, Gatekeeper, NotDurable, Settlement,
};
pub use health::{Component, ComponentState, Health};
pub use insights::{
    BankBudget, BankHealth, BankState, Insights, MAX_SERIES, RequestQuery, RequestRecord, Series,
    SeriesLabel, UsageQuery, UsageReport,
};
pub use keys::{
    AuditFilter, AuditPage, CreatedKey, CustomerOverview, KeyAdministration, KeyError, KeyFilter,
    KeyOverview, KeyQuery, KeySort, NewKey, RequestedScope, RevokedKeys, RotatedKey,
};
pub use people::{
    Caller, Person, Session, SessionError, Sessions, SignIn, SignInAnswer, SignInError,
};
pub use proofs::{
    Banks, Delivery, FetchError, FetchReport, Files, LookupDetails, NotFoundReason, ProofRequest,
    Proofs, RequestedFiles,
};
pub use requests::{
    InvalidRequest, ProofExchange, ProofRequests, Reply, ServedRequest, SettledRequest,
};
