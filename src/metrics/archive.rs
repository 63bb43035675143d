//! Metrics of the archive of issued proofs.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::proofs::archive::ArchiveIndex;
use ports::outbound::{ArchivedProof, ProofArchive, StoreError};

use super::names::Metric;
use super::{Metrics, names};

/// Archive that counts its reads and writes.
pub(crate) struct MeteredArchive {
    metrics: Arc<Metrics>,
    archive: Arc<dyn ProofArchive>,
}

impl MeteredArchive {
    /// Counts calls of this archive.
    pub(crate) fn new(metrics: &Arc<Metrics>, archive: Arc<dyn ProofArchive>) -> Self {
        Self {
            metrics: Arc::clone(metrics),
            archive,
        }
    }

    /// Begins a call, which counts as failed unless another result is set.
    fn begin(&self, metric: &'static Metric) -> Ending<'_> {
        Ending {
            metrics: &self.metrics,
            metric,
            result: "failed",
        }
    }
}

#[async_trait]
impl ProofArchive for MeteredArchive {
    async fn archived_proofs(
        &self,
        indexes: &[ArchiveIndex],
        since: DateTime<Utc>,
    ) -> Result<Vec<ArchivedProof>, StoreError> {
        let mut ending = self.begin(&names::ARCHIVE_READS);
        let read = self.archive.archived_proofs(indexes, since).await;
        match &read {
            Ok(found) if found.is_empty() => ending.result = "miss",
            Ok(_) => ending.result = "hit",
            Err(_) => {}
        }
        read
    }

    async fn archive_proof(
        &self,
        proof: &ArchivedProof,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut ending = self.begin(&names::ARCHIVE_WRITES);
        self.archive.archive_proof(proof, now).await?;
        ending.result = "ok";
        let bytes = self.metrics.counter(&names::ARCHIVE_BYTES, &[]);
        bytes.increment(proof.content.len() as u64);
        Ok(())
    }

    async fn remove_archived(&self, indexes: &[ArchiveIndex]) -> Result<(), StoreError> {
        self.archive.remove_archived(indexes).await
    }

    async fn prune_archive(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        self.archive.prune_archive(before).await
    }
}

/// Counts a call when it ends, or when its caller stops waiting for it.
struct Ending<'a> {
    metrics: &'a Metrics,
    metric: &'static Metric,
    result: &'static str,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let labels = [("result", self.result)];
        self.metrics.counter(self.metric, &labels).increment(1);
    }
}
