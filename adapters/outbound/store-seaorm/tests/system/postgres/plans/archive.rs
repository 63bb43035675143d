//! Plans of the archive of proofs.

use chrono::TimeDelta;
use domain::archive::ArchiveIndex;
use ports::outbound::{ArchivedProof, ProofArchive};

use crate::postgres::auto_explain::{ExplainedStore, assert_reads_little, assert_uses};
use crate::postgres::support::now;

pub(super) async fn archive(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let week = now() - TimeDelta::days(7);
    let indexes = [[1; 32], [2; 32]].map(ArchiveIndex);
    let read = explained.plan(store.archived_proofs(&indexes, week)).await;
    assert_uses(&read, "proof_archive_pkey");
    let entry = ArchivedProof {
        index: ArchiveIndex([1; 32]),
        content: vec![7; 100],
    };
    // A new entry, and one that replaces it.
    for _ in 0..2 {
        let written = explained.plan(store.archive_proof(&entry, now())).await;
        assert_reads_little(&written);
    }
    let removed = explained.plan(store.remove_archived(&indexes)).await;
    assert_uses(&removed, "proof_archive_pkey");
    let older = now() - TimeDelta::days(35);
    let pruned = explained.plan(store.prune_archive(older)).await;
    assert_uses(&pruned, "proof_archive_by_time");
}
