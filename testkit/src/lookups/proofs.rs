//! The service of proofs over scripted banks.

use std::sync::Arc;
use std::time::Duration;

use application::{
    BankBySide, BankMonitor, Compute, PrintedParts, PrintedProofs, ProofMemory, ProofParts,
    ProofService, SharedCatalogue,
};
use ports::outbound::{Bank, SealChecks};
use zip_files::DeflatedZip;

use crate::fakes::{ManualClock, MemoryStore, PlainPdfs, ScriptedBank};

/// Lookups in these banks, without a memory.
pub fn proofs(
    banks: (&Arc<ScriptedBank>, &Arc<ScriptedBank>),
    clock: Arc<ManualClock>,
    monitor: Arc<BankMonitor>,
    seals: Arc<dyn SealChecks>,
) -> Arc<ProofService> {
    let memory = ProofMemory::new(0, Duration::from_mins(1));
    remembered_proofs(memory, banks, clock, monitor, seals)
}

/// Lookups in these banks, with a memory.
pub(super) fn remembered_proofs(
    memory: ProofMemory,
    (live, test): (&Arc<ScriptedBank>, &Arc<ScriptedBank>),
    clock: Arc<ManualClock>,
    monitor: Arc<BankMonitor>,
    seals: Arc<dyn SealChecks>,
) -> Arc<ProofService> {
    let banks = BankBySide {
        live: live.clone() as Arc<dyn Bank>,
        test: test.clone(),
    };
    // The bank's fake measures it on the real clock.
    let patience = Duration::from_secs(20);
    Arc::new(ProofService::new(ProofParts {
        banks,
        participants: catalogue(),
        patience,
        cache: memory.into(),
        monitor,
        printed: printed(seals.clone(), clock.clone()),
        seals,
        clock,
    }))
}

/// Reads the plain PDFs of a scripted bank.
pub fn printed(seals: Arc<dyn SealChecks>, clock: Arc<ManualClock>) -> PrintedProofs {
    PrintedProofs::new(PrintedParts {
        pdfs: Arc::new(PlainPdfs),
        zips: Arc::new(DeflatedZip),
        seals,
        clock,
        compute: at_once(),
    })
}

/// The compiled-in catalogue.
pub fn catalogue() -> Arc<SharedCatalogue> {
    Arc::new(SharedCatalogue::new(Arc::new(MemoryStore::default())))
}

/// Does what would take a thread's time at once.
pub(super) fn at_once() -> Compute {
    Box::new(|work| Box::pin(async move { work() }))
}
