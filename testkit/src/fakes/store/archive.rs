//! Archived proofs.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::archive::ArchiveIndex;
use ports::outbound::{ArchivedProof, ProofArchive, StoreError};

use super::MemoryStore;

#[async_trait]
impl ProofArchive for MemoryStore {
    async fn archived_proofs(
        &self,
        indexes: &[ArchiveIndex],
        since: DateTime<Utc>,
    ) -> Result<Vec<ArchivedProof>, StoreError> {
        let tables = self.call("archived_proofs").await?;
        let found = indexes.iter().filter_map(|index| {
            let (written_at, content) = tables.archive.get(index)?;
            (*written_at >= since).then(|| ArchivedProof {
                index: *index,
                content: content.clone(),
            })
        });
        Ok(found.collect())
    }

    async fn archive_proof(
        &self,
        proof: &ArchivedProof,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.called("archive_proof").await?;
        let entry = (now, proof.content.clone());
        self.tables().archive.insert(proof.index, entry);
        Ok(())
    }

    async fn remove_archived(&self, indexes: &[ArchiveIndex]) -> Result<(), StoreError> {
        let archive = &mut self.call("remove_archived").await?.archive;
        archive.retain(|index, _| !indexes.contains(index));
        Ok(())
    }

    async fn prune_archive(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        let archive = &mut self.call("prune_archive").await?.archive;
        let all = archive.len();
        archive.retain(|_, (written_at, _)| *written_at >= before);
        Ok((all - archive.len()) as u64)
    }
}

impl MemoryStore {
    /// The archived proofs, by their indexes.
    pub fn archive(&self) -> Vec<ArchivedProof> {
        let tables = self.tables();
        let entries = tables.archive.iter();
        let entries = entries.map(|(index, (_, content))| ArchivedProof {
            index: *index,
            content: content.clone(),
        });
        entries.collect()
    }
}
