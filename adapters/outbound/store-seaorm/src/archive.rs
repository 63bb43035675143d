//! The archive of issued proofs.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::proofs::archive::ArchiveIndex;
use ports::outbound::{ArchivedProof, ProofArchive, StoreError};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbErr, Statement, Value};

use crate::prune::PROOF_ARCHIVE;
use crate::row::{Row, stored};
use crate::store::{Store, failed};

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
        let rows = self.in_time(async { self.entries(indexes, since).await.map_err(failed) });
        let entry = |(id, content): (String, Vec<u8>)| {
            let row = Row {
                table: "proof_archive",
                id: &id,
            };
            let index = ArchiveIndex::from_hex(&id).ok_or_else(|| row.unreadable("id"))?;
            Ok(ArchivedProof { index, content })
        };
        rows.await?.into_iter().map(entry).collect()
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
        let sql = format!(
            "DELETE FROM proof_archive WHERE id IN ({})",
            places(1, indexes.len())
        );
        let ids = indexes.iter().map(|index| Value::from(index.hex()));
        let backend = self.connection.get_database_backend();
        let removal = Statement::from_sql_and_values(backend, sql, ids);
        self.write(self.connection.execute_raw(removal)).await?;
        Ok(())
    }

    async fn prune_archive(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        self.check_files()?;
        self.prune_table(&PROOF_ARCHIVE, before).await
    }
}

impl Store {
    /// Writes several proofs in one transaction.
    async fn write_proofs(
        &self,
        proofs: &[(ArchivedProof, DateTime<Utc>)],
    ) -> Result<Vec<()>, StoreError> {
        let written = async {
            let transaction = self.begin().await?;
            let written = write_all(&transaction, proofs).await.map_err(failed);
            self.end(transaction, written).await
        };
        self.in_time(written).await
    }

    /// Ids and contents of the entries at these indexes that were written at `since` or later.
    async fn entries(
        &self,
        indexes: &[ArchiveIndex],
        since: DateTime<Utc>,
    ) -> Result<Vec<(String, Vec<u8>)>, DbErr> {
        let sql = format!(
            "SELECT id, content FROM proof_archive WHERE stored_at >= $1 AND id IN ({})",
            places(2, indexes.len())
        );
        let ids = indexes.iter().map(|index| Value::from(index.hex()));
        let values: Vec<_> = std::iter::once(since.timestamp_millis().into())
            .chain(ids)
            .collect();
        let backend = self.connection.get_database_backend();
        let query = Statement::from_sql_and_values(backend, sql, values);
        let rows = self.connection.query_all_raw(query).await?;
        let entry = |row: &sea_orm::QueryResult| -> Result<_, DbErr> {
            Ok((row.try_get_by_index(0)?, row.try_get_by_index(1)?))
        };
        rows.iter().map(entry).collect()
    }
}

/// Writes proofs; returns a result for each.
async fn write_all(
    transaction: &DatabaseTransaction,
    proofs: &[(ArchivedProof, DateTime<Utc>)],
) -> Result<Vec<()>, DbErr> {
    let backend = transaction.get_database_backend();
    for (proof, now) in proofs {
        let values = [
            proof.index.hex().into(),
            Value::from(proof.content.clone()),
            stored(proof.content.len() as u64).into(),
            now.timestamp_millis().into(),
        ];
        let write = Statement::from_sql_and_values(backend, WRITE, values);
        transaction.execute_raw(write).await?;
    }
    Ok(vec![(); proofs.len()])
}

/// Numbered placeholders of a statement, `count` of them from `first` on.
fn places(first: usize, count: usize) -> String {
    let places: Vec<_> = (first..first + count)
        .map(|place| format!("${place}"))
        .collect();
    places.join(", ")
}
