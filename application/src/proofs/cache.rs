//! Places where issued proofs are kept: the memory of a process, and the archive behind it.

use std::sync::Arc;

use domain::request::RequestId;
use ports::outbound::SealChecks;

use super::archive::ArchiveService;
use super::memory::{CachedProof, ProofMemory, ProofSource, Subject};

/// Places where issued proofs are kept, so that a repeat doesn't ask the bank.
#[derive(Clone)]
pub struct ProofCache {
    /// Memory of this process.
    pub memory: ProofMemory,
    /// Database of all processes, asked when the memory has none; `None` when it is off.
    pub archive: Option<Arc<ArchiveService>>,
}

impl From<ProofMemory> for ProofCache {
    /// The memory alone.
    fn from(memory: ProofMemory) -> Self {
        Self {
            memory,
            archive: None,
        }
    }
}

impl ProofCache {
    /// The proof in memory, if it may come from there.
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

    /// Reads the archive, and puts the proof into the memory. One with another XML than the `known`
    /// one isn't used.
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

    /// Removes a proof from the memory of this process and from the archive: the bank says that its payment isn't
    /// received any more.
    pub(super) async fn remove(&self, subject: &Subject, request_id: &RequestId) {
        if let Some(proof) = self.memory.remove(subject) {
            // What is written afterwards would stay.
            proof.archived().await;
        }
        if let Some(archive) = &self.archive {
            archive.remove(subject, request_id).await;
        }
    }

    /// Puts a proof of the bank into the memory and into the archive.
    pub(super) fn keep(&self, subject: Subject, proof: &Arc<CachedProof>, request_id: RequestId) {
        let archive = self.archive.as_ref();
        if let Some(write) = archive.and_then(|it| it.write(&subject, proof, request_id)) {
            // A proof is kept once.
            drop(proof.archiving.set(write));
        }
        self.memory.insert(subject, Arc::clone(proof));
    }
}
