//! Storage of issued proofs: the memory of the process, and the archive.

use std::sync::Arc;

use domain::request::RequestId;
use ports::outbound::SealChecks;

use super::archive::ArchiveService;
use super::memory::{CachedProof, ProofMemory, ProofSource, Subject};

/// Storage of issued proofs, so that repeated requests don't query the bank.
#[derive(Clone)]
pub struct ProofCache {
    /// Proofs in the memory of this process.
    pub memory: ProofMemory,
    /// Archive in the shared database, read if the memory has no proof; `None` if it is disabled.
    pub archive: Option<Arc<ArchiveService>>,
}

impl From<ProofMemory> for ProofCache {
    /// Uses the memory only.
    fn from(memory: ProofMemory) -> Self {
        Self {
            memory,
            archive: None,
        }
    }
}

impl ProofCache {
    /// The proof in memory; `None` if the source must be the bank.
    pub(super) fn remembered(
        &self,
        subject: &Subject,
        source: ProofSource,
    ) -> Option<Arc<CachedProof>> {
        match source {
            ProofSource::Any => self.memory.get(subject),
            ProofSource::Bank => None,
        }
    }

    /// Reads a proof from the archive, and puts it into the memory. It is ignored if its XML differs from the
    /// `known` one.
    pub(super) async fn archived(
        &self,
        subject: &Subject,
        known: Option<&Arc<CachedProof>>,
        seals: &dyn SealChecks,
        request_id: &RequestId,
    ) -> Option<Arc<CachedProof>> {
        let archive = self.archive.as_ref()?;
        let archived = archive.read(subject, seals, request_id).await?;
        if known.is_some_and(|known| known.xml != archived.xml || archived.pdf.is_none()) {
            return None;
        }
        let archived = Arc::new(archived);
        self.memory.insert(subject.clone(), Arc::clone(&archived));
        Some(archived)
    }

    /// Removes a proof from the memory of this process and from the archive, because the bank reports that
    /// the beneficiary doesn't have the money any more.
    pub(super) async fn remove(&self, subject: &Subject, request_id: &RequestId) {
        if let Some(proof) = self.memory.remove(subject) {
            // Waits for a pending write, which would otherwise restore the entry after its removal.
            proof.archived().await;
        }
        if let Some(archive) = &self.archive {
            archive.remove(subject, request_id).await;
        }
    }

    /// Puts a proof from the bank into the memory and the archive.
    pub(super) fn keep(&self, subject: Subject, proof: &Arc<CachedProof>, request_id: RequestId) {
        let archive = self.archive.as_ref();
        if let Some(write) = archive.and_then(|it| it.write(&subject, proof, request_id)) {
            // Can't be set already, since a proof is stored once.
            drop(proof.archiving.set(write));
        }
        self.memory.insert(subject, Arc::clone(proof));
    }
}
