//! Inbound ports: the application's use cases.

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
pub use insights::{BankHealth, BankState, Insights, Series, SeriesLabel, UsageReport};
pub use keys::{CreatedKey, KeyAdministration, KeyError, NewKey, RequestedScope, RotatedKey};
pub use people::{
    Caller, Person, Session, SessionError, Sessions, SignIn, SignInAnswer, SignInError,
};
pub use proofs::{
    Delivery, FetchError, FetchReport, Files, LookupDetails, NotFoundReason, ProofRequest, Proofs,
};
pub use requests::{
    InvalidRequest, ProofExchange, ProofRequests, Reply, ServedRequest, SettledRequest,
};
