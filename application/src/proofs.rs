//! Requests for proofs: whole requests, and the lookup of a proof.

mod acceptance;
mod archive;
mod cache;
mod delivery;
mod delivery_history;
mod file_checks;
mod in_flight;
mod lookup;
mod memory;
mod pending_write;
mod printed;
mod recent_deliveries;
mod requests;
mod second_opinions;
mod single_flight;

pub use archive::{ArchiveParts, ArchiveService};
pub use cache::ProofCache;
pub use delivery::{Delivery, FetchError, Files, LookupDetails};
pub use delivery_history::DeliveryHistory;
pub use file_checks::{Compute, FileChecks};
pub use lookup::{BankBySide, FetchReport, ProofParts, ProofRequest, ProofService};
pub use memory::{ProofMemory, ProofSource};
pub use printed::{PrintedParts, PrintedProofs};
pub use requests::{
    Answered, BankComparison, Charge, CheckRequest, CheckedFile, CheckedUpload, NotRepeated,
    ProofRequestService, Question, RepeatError, Reply, SealValidation, Served, ZippedCheck,
};
pub use second_opinions::{SecondOpinions, ValidatorBySide};

pub(crate) use delivery_history::{Presented, Turn};
