//! The archive of issued proofs.

use std::iter::once;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::proofs::archive::ArchiveIndex;
use ports::outbound::{ArchivedProof, ProofArchive, StoreError};
use sea_orm::{ConnectionTrait, FromQueryResult, Value};

use crate::error::failed;
use crate::prune::PROOF_ARCHIVE;
use crate::read::{places, query, sql};
use crate::store::Store;
use crate::stored::Stored;

const WRITE: &str = "INSERT INTO proof_archive (id, content, size, stored_at) \
     VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO UPDATE SET \
     content = excluded.content, size = excluded.size, stored_at = excluded.stored_at";

#[async_trait]
impl ProofArchive for Store {
    async fn archived_proofs(
        &self,
        indexes: &[ArchiveIndex],
        since: DateTime<Utc>,
    ) -> Result<Vec<ArchivedProof>, StoreError> {
        if indexes.is_empty() {
            return Ok(Vec::new());
        }
        let ids = places(2, indexes.len());
        let entries = format!(
            "SELECT id, content FROM proof_archive WHERE stored_at >= $1 AND id IN ({ids})"
        );
        let values = once(Stored(since).into()).chain(in_order(indexes));
        let entries = sql(&self.connection, entries, values);
        let rows = query::<Entry>(&self.connection, "proof_archive", entries);
        let entry = |row: Entry| ArchivedProof {
            index: row.id.0,
            content: row.content,
        };
        Ok(self.in_time(rows).await?.into_iter().map(entry).collect())
    }

    async fn archive_proof(
        &self,
        proof: &ArchivedProof,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let store = self.clone();
        let write = move |proofs: Vec<_>| {
            let store = store.clone();
            async move { store.write_proofs(&proofs).await }
        };
        self.archived.submit((proof.clone(), now), write).await
    }

    async fn remove_archived(&self, indexes: &[ArchiveIndex]) -> Result<(), StoreError> {
        if indexes.is_empty() {
            return Ok(());
        }
        let ids = places(1, indexes.len());
        let removal = format!("DELETE FROM proof_archive WHERE id IN ({ids})");
        let removal = sql(&self.connection, removal, in_order(indexes));
        self.write(self.connection.execute_raw(removal)).await?;
        Ok(())
    }

    async fn prune_archive(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        self.check_files()?;
        self.prune_table(&PROOF_ARCHIVE, before).await
    }
}

#[derive(FromQueryResult)]
struct Entry {
    id: Stored<ArchiveIndex>,
    content: Vec<u8>,
}

fn in_order(indexes: &[ArchiveIndex]) -> impl Iterator<Item = Value> {
    indexes.iter().map(|index| Stored(*index).into())
}

impl Store {
    /// Writes several proofs in one transaction; returns a result for each.
    async fn write_proofs(
        &self,
        proofs: &[(ArchivedProof, DateTime<Utc>)],
    ) -> Result<Vec<()>, StoreError> {
        self.within(async |transaction| {
            for (proof, now) in proofs {
                let values = [
                    Stored(proof.index).into(),
                    Value::from(proof.content.clone()),
                    Stored(proof.content.len() as u64).into(),
                    Stored(*now).into(),
                ];
                let written = transaction.execute_raw(sql(transaction, WRITE, values));
                written.await.map_err(failed)?;
            }
            Ok(vec![(); proofs.len()])
        })
        .await
    }
}
