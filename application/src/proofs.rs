//! Proof requests: the use case of a whole request, and the lookup of a proof.

mod lookup;
mod memory;
mod requests;
mod single_flight;

pub use lookup::{BankBySide, ProofService};
pub use memory::ProofMemory;
pub use requests::{ProofRequestService, SpawnTask};
