//! What the outside may ask of us.

mod gatekeeper;
mod health;
mod keys;
mod proofs;

pub use gatekeeper::{Admission, Attempt, Gatekeeper, NotDurable, Refusal, Settlement};
pub use health::{Component, ComponentState, Health};
pub use keys::{CreatedKey, KeyAdministration, KeyAdministrationError, KeyOrder};
pub use proofs::{
    Banks, Delivery, FetchError, FetchReport, Files, NotFoundReason, ProofRequest, Proofs, Wanted,
};
