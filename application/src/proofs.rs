//! Proof requests: the use case of a whole request, and the lookup of a proof.

mod acceptance;
mod archive;
mod cache;
mod delivery_history;
mod file_checks;
mod in_flight;
mod lookup;
mod memory;
mod pending_write;
mod recent_deliveries;
mod requests;
mod single_flight;
mod spawn;

pub use archive::{ArchiveParts, ArchiveService};
pub use cache::ProofCache;
pub use delivery_history::DeliveryHistory;
pub use file_checks::{Compute, FileChecks};
pub use lookup::{BankBySide, FetchReport, ProofRequest, ProofService};
pub use memory::{ProofMemory, ProofSource};
pub use requests::{ProofRequestService, RequestSteps};
pub use spawn::SpawnTask;

pub(crate) use delivery_history::{Presented, Turn};
