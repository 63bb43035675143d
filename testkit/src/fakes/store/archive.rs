//! Archived proofs.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::proofs::archive::ArchiveIndex;
use ports::outbound::{ArchivedProof, ProofArchive};

use super::{MemoryStore, Result, prune};

#[async_trait]
impl ProofArchive for MemoryStore {
    async fn archived_proofs(
        &self,
        indexes: &[ArchiveIndex],
        since: DateTime<Utc>,
    ) -> Result<Vec<ArchivedProof>> {
        let tables = self.call("archived_proofs").await?;
        let found = indexes.iter().filter_map(|index| {
            let (index, entry) = tables.archive.get_key_value(index)?;
            (entry.0 >= since).then(|| archived((index, entry)))
        });
        Ok(found.collect())
    }

    async fn archive_proof(&self, proof: &ArchivedProof, now: DateTime<Utc>) -> Result<()> {
        self.called("archive_proof").await?;
        let entry = (now, proof.content.clone());
        self.tables().archive.insert(proof.index, entry);
        Ok(())
    }

    async fn remove_archived(&self, indexes: &[ArchiveIndex]) -> Result<()> {
        let archive = &mut self.call("remove_archived").await?.archive;
        archive.retain(|index, _| !indexes.contains(index));
        Ok(())
    }

    async fn prune_archive(&self, before: DateTime<Utc>) -> Result<u64> {
        let archive = &mut self.call("prune_archive").await?.archive;
        Ok(prune(archive, |(written_at, _)| *written_at >= before))
    }
}

impl MemoryStore {
    /// The archived proofs, by their indexes.
    pub fn archive(&self) -> Vec<ArchivedProof> {
        self.tables().archive.iter().map(archived).collect()
    }
}

fn archived((index, (_, content)): (&ArchiveIndex, &(DateTime<Utc>, Vec<u8>))) -> ArchivedProof {
    ArchivedProof {
        index: *index,
        content: content.clone(),
    }
}
