//! Rows of stored batches with their outcomes.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::BatchError;
use super::types::{RowOutcome, RowView};
use domain::batches::sheet::OwnColumn;
use domain::batches::{BatchState, ROWS_PER_CHUNK, RowNumber};
use ports::outbound::{BatchFacts, BatchStore, StoredLookup};

use super::caller::{store_failed, unreadable};
use super::content::{RowKind, StoredRow};
use super::draft::without_lookup;
use super::encryption::BatchEncryption;
use super::places::AccountPlace;
use crate::lookups::LookupService;

/// Reader of a batch's rows in row order, one chunk at a time.
pub struct BatchRows {
    pub(super) store: Arc<dyn BatchStore>,
    pub(super) lookups: Arc<LookupService>,
    pub(super) encryption: Arc<BatchEncryption>,
    pub(super) facts: BatchFacts,
    /// State of the batch when it was read.
    pub(super) state: BatchState,
    /// The first row that wasn't processed yet when the batch was read.
    pub(super) untried: RowNumber,
    /// The next row to read.
    pub(super) next: RowNumber,
    /// The columns of the rows' cells; none if only [`Self::next_chunk`] is called.
    pub(super) columns: Vec<OwnColumn>,
    /// Place in the limit of downloads, occupied until the reader is dropped; `None` for reads without a
    /// limit.
    pub(super) place: Option<AccountPlace>,
}

/// Consecutive rows of a chunk, each with its lookup if it has one.
pub(super) type RowsWithLookups = Vec<(RowNumber, StoredRow, Option<StoredLookup>)>;

impl BatchRows {
    /// The remaining rows of the next row's chunk; `None` after the last row.
    ///
    /// # Errors
    /// [`BatchError::Unknown`] if the batch was removed in the meantime.
    pub(super) async fn next_chunk(&mut self) -> Result<Option<RowsWithLookups>, BatchError> {
        let first = self.next;
        if first.0 >= self.facts.counts.rows {
            return Ok(None);
        }
        let number = first.chunk();
        // Reads the lookups before the chunk: a removal deletes the chunks first, so if the chunk exists, no
        // lookup is missing.
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
    /// The columns of [`RowView::cells`]; none for a batch that an older version created.
    pub fn columns(&self) -> &[OwnColumn] {
        &self.columns
    }

    /// The next chunk of rows; `None` after the last row.
    ///
    /// # Errors
    /// [`BatchError::Unknown`] once the batch is erased; other errors if the store fails or a row can't be
    /// decrypted.
    pub async fn next(&mut self) -> Result<Option<Vec<RowView>>, BatchError> {
        let Some(rows) = self.next_chunk().await? else {
            return Ok(None);
        };
        let reader = &self.lookups.reader;
        let catalogue = reader.catalogue();
        let mut views = Vec::with_capacity(rows.len());
        for (row, stored, lookup) in rows {
            let mut view = without_lookup(row, &stored, (self.state, &self.columns, &catalogue));
            if let Some(lookup) = lookup {
                let lookup = reader.of_row(&lookup).map_err(unreadable)?;
                // It may tell another of several own accounts.
                view.query = Some(lookup.question.clone());
                view.outcome = RowOutcome::Lookup(Box::new(lookup));
            } else if matches!(stored.kind, RowKind::Ready(_)) && row < self.untried {
                view.outcome = RowOutcome::Erased;
            }
            views.push(view);
        }
        Ok(Some(views))
    }
}
