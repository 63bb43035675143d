//! Rows of stored batches, with what became of them.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::BatchError;
use super::types::{RowOutcome, RowView};
use domain::batch::{ROWS_PER_CHUNK, RowNumber};
use ports::outbound::{BatchFacts, BatchStore, StoredLookup};

use super::caller::{store_failed, unreadable};
use super::content::{RowKind, StoredRow};
use super::draft::without_lookup;
use super::encryption::BatchEncryption;
use super::places::AccountPlace;
use crate::lookups::LookupService;

/// Rows of a batch in their order, read a chunk at a time.
pub struct BatchRows {
    pub(super) store: Arc<dyn BatchStore>,
    pub(super) lookups: Arc<LookupService>,
    pub(super) encryption: Arc<BatchEncryption>,
    pub(super) facts: BatchFacts,
    /// The first row that was never tried to be made a lookup of, when the batch was read.
    pub(super) untried: RowNumber,
    /// The next row.
    pub(super) next: RowNumber,
    /// The place of a download among those of its account, until the rows are dropped.
    pub(super) place: Option<AccountPlace>,
}

/// Rows of a chunk from one on, each with its lookup, if it has one.
pub(super) type RowsWithLookups = Vec<(RowNumber, StoredRow, Option<StoredLookup>)>;

impl BatchRows {
    /// The rest of the chunk of the next row; `None` after the last row.
    ///
    /// # Errors
    /// [`BatchError::Unknown`] when the batch is removed meanwhile.
    pub(super) async fn next_chunk(&mut self) -> Result<Option<RowsWithLookups>, BatchError> {
        let first = self.next;
        if first.0 >= self.facts.counts.rows {
            return Ok(None);
        }
        let number = first.chunk();
        // The lookups before the chunk: a removal takes the chunks first, so no lookup is missing if it is
        // there.
        let lookups = self
            .store
            .batch_lookups(self.facts.id, first, ROWS_PER_CHUNK);
        let lookups = lookups.await.map_err(store_failed)?;
        let lookups = lookups
            .into_iter()
            .filter_map(|lookup| Some((lookup.facts.batch?.row, lookup)));
        let mut lookups: HashMap<_, _> = lookups.collect();
        let chunk = self.store.batch_chunk(self.facts.id, number).await;
        let chunk = chunk.map_err(store_failed)?.ok_or(BatchError::Unknown)?;
        let rows = self.encryption.chunk(&self.facts, number, &chunk);
        let rows = rows.map_err(unreadable)?;
        self.next = RowNumber((number + 1) * ROWS_PER_CHUNK);
        let numbered = (first.0..)
            .map(RowNumber)
            .zip(rows.into_iter().skip(first.place()));
        let rows: Vec<_> = numbered
            .map(|(row, stored)| (row, stored, lookups.remove(&row)))
            .collect();
        Ok((!rows.is_empty()).then_some(rows))
    }
}

impl BatchRows {
    /// The next rows, some at a time; `None` after the last one.
    ///
    /// # Errors
    /// [`BatchError::Unknown`] once the batch is erased, the store failed, or a row can't be decrypted.
    pub async fn next(&mut self) -> Result<Option<Vec<RowView>>, BatchError> {
        let Some(rows) = self.next_chunk().await? else {
            return Ok(None);
        };
        let reader = &self.lookups.reader;
        let catalogue = reader.catalogue();
        let mut views = Vec::with_capacity(rows.len());
        for (row, stored, lookup) in rows {
            let mut view = without_lookup(row, &stored, &catalogue);
            if let Some(lookup) = lookup {
                let lookup = reader.of_row(&lookup).map_err(unreadable)?;
                view.outcome = RowOutcome::Lookup(Box::new(lookup));
            } else if matches!(stored.kind, RowKind::Ready(_)) && row < self.untried {
                view.outcome = RowOutcome::Erased;
            }
            views.push(view);
        }
        Ok(Some(views))
    }
}
