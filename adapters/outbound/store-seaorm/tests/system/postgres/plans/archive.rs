//! Plans of the archive of proofs.

use chrono::TimeDelta;
use domain::proofs::archive::ArchiveIndex;
use ports::outbound::{ArchivedProof, ProofArchive};

use crate::both::entries::now;
use crate::postgres::auto_explain::ExplainedStore;

pub(super) async fn archive(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let week = now() - TimeDelta::days(7);
    let indexes = [[1; 32], [2; 32]].map(ArchiveIndex);
    let by_index = &["proof_archive_pkey"];
    let read = store.archived_proofs(&indexes, week);
    explained.through(by_index, read).await;
    let entry = ArchivedProof {
        index: ArchiveIndex([1; 32]),
        content: vec![7; 100],
    };
    // A new entry, and one that replaces it.
    for _ in 0..2 {
        explained.cheaply(store.archive_proof(&entry, now())).await;
    }
    let removed = store.remove_archived(&indexes);
    explained.through(by_index, removed).await;
    let pruned = store.prune_archive(now() - TimeDelta::days(35));
    explained.through(&["proof_archive_by_time"], pruned).await;
}
