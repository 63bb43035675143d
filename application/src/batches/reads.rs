//! Reads of batches and their rows.

use std::sync::Arc;
use std::time::Duration;

use domain::batches::bank_file::BankLine;
use domain::batches::{BatchId, RowNumber};
use domain::page::Page;
use ports::outbound::{BatchFilter, StoredBatch};

use super::caller::{Owner, of_list, unreadable};
use super::changes::BatchChanges;
use super::error::BatchError;
use super::rows::BatchRows;
use super::service::BatchService;
use super::types::{BatchAccess, BatchQuery, BatchRead, BatchView, RowView};

impl BatchService {
    /// Reads a batch. With a `wait`, returns once the batch's state changes or the time is over; without
    /// waiting if 16 reads of the customer wait in this process already.
    ///
    /// # Errors
    /// See [`BatchError`].
    pub async fn find(
        &self,
        access: &BatchAccess,
        id: BatchId,
        wait: Duration,
    ) -> Result<BatchRead<BatchView>, BatchError> {
        let owner = self.owner(access).await?;
        let batch = self.once_changed(&owner, id, wait).await?;
        Ok(owner.read(self.view(&owner, &batch).await?))
    }

    /// Batches, newest first: one page, without a total. A batch that can't be decrypted is listed without
    /// its name and with default options.
    ///
    /// # Errors
    /// See [`BatchError`].
    pub async fn list(
        &self,
        access: &BatchAccess,
        query: &BatchQuery,
    ) -> Result<BatchRead<Page<BatchView>>, BatchError> {
        let owner = match self.owner(access).await {
            Err(BatchError::Unknown) if query.key.is_none() => {
                // A person without an account has no batches.
                return Ok(BatchRead {
                    found: Page::of(Vec::new(), query.page.first, None),
                    key: None,
                    limit_status: None,
                });
            }
            owner => owner?,
        };
        let counters = match query.key {
            Some(key) => Some(self.counters(owner.customer, key).await?),
            None => None,
        };
        let filter = BatchFilter {
            environment: owner.environment().or(query.environment),
            states: query.states.clone(),
            counters,
        };
        let _turn = self.read_turn(&owner).await;
        let page = self
            .sources
            .store
            .batches(owner.customer, &filter, &query.page)
            .await;
        let page = page.map_err(of_list)?;
        let batches: Vec<_> = page.items.iter().map(|(_, batch)| batch).collect();
        let limits = self.key_limits(&owner, &batches).await?;
        Ok(owner.read(self.views.page(&limits, page)))
    }

    /// Reader of a batch's rows, beginning with `first`.
    ///
    /// # Errors
    /// See [`BatchError`].
    pub async fn rows(
        &self,
        access: &BatchAccess,
        id: BatchId,
        first: RowNumber,
    ) -> Result<BatchRead<BatchRows>, BatchError> {
        let (owner, rows) = self.owned_rows(access, id, first).await?;
        Ok(owner.read(rows))
    }

    /// At most `most` rows that `accepts` accepts, beginning with `first`, in row order, and `true` if more follow. One
    /// read of a customer's rows at a time, since it may go through all of them.
    ///
    /// # Errors
    /// See [`BatchError`].
    pub async fn rows_page(
        &self,
        access: &BatchAccess,
        id: BatchId,
        (first, most): (RowNumber, usize),
        accepts: impl Fn(&RowView) -> bool + Send,
    ) -> Result<BatchRead<(Vec<RowView>, bool)>, BatchError> {
        let (owner, mut rows) = self.owned_rows(access, id, first).await?;
        let _turn = self.read_turn(&owner).await;
        let mut found = Vec::with_capacity(most);
        while let Some(views) = rows.next().await? {
            found.extend(views.into_iter().filter(|view| accepts(view)));
            if found.len() > most {
                found.truncate(most);
                return Ok(owner.read((found, true)));
            }
        }
        Ok(owner.read((found, false)))
    }

    /// Same as [`Self::rows`], for reading all rows: occupies a place in the limit of downloads until the
    /// reader is dropped.
    ///
    /// # Errors
    /// [`BatchError::TooManyDownloads`], and those of [`Self::rows`].
    pub async fn download(
        &self,
        access: &BatchAccess,
        id: BatchId,
        first: RowNumber,
    ) -> Result<BatchRead<BatchRows>, BatchError> {
        let (owner, mut rows) = self.owned_rows(access, id, first).await?;
        let place = self.sources.places.download(owner.customer);
        rows.place = Some(place.ok_or(BatchError::TooManyDownloads)?);
        Ok(owner.read(rows))
    }

    /// The open rows of a batch, in the format of the bank's own batches. A row is open if it has no proof
    /// but may still get one, unless it was canceled.
    ///
    /// # Errors
    /// [`BatchError::TooManyDownloads`], since it counts as a download; see [`BatchError`] for others.
    pub async fn bank_lines(
        &self,
        access: &BatchAccess,
        id: BatchId,
    ) -> Result<BatchRead<Vec<BankLine>>, BatchError> {
        let owner = self.owner(access).await?;
        let place = self.sources.places.download(owner.customer);
        let _place = place.ok_or(BatchError::TooManyDownloads)?;
        let batch = self.own(&owner, id).await?;
        let mut rows = self.rows_of(&batch, RowNumber(0))?;
        Ok(owner.read(rows.bank_lines().await?))
    }

    /// Follows a batch's changes until it is final.
    ///
    /// # Errors
    /// Those of [`Self::find`].
    pub async fn changes(
        &self,
        access: &BatchAccess,
        id: BatchId,
    ) -> Result<BatchChanges, BatchError> {
        let owner = self.owner(access).await?;
        let batch = self.own(&owner, id).await?;
        let limits = self.key_limits(&owner, &[&batch]).await?;
        Ok(BatchChanges {
            store: Arc::clone(&self.sources.store),
            timer: Arc::clone(&self.sources.timer),
            views: self.views.clone(),
            customer: owner.customer,
            limits,
            id,
            last: None,
        })
    }

    /// Identifies the caller, and returns it with a reader of the batch's rows, beginning with `first`.
    async fn owned_rows(
        &self,
        access: &BatchAccess,
        id: BatchId,
        first: RowNumber,
    ) -> Result<(Owner, BatchRows), BatchError> {
        let owner = self.owner(access).await?;
        let batch = self.own(&owner, id).await?;
        let rows = self.rows_of(&batch, first)?;
        Ok((owner, rows))
    }

    /// A reader of a batch's rows, beginning with `next`.
    pub(super) fn rows_of(
        &self,
        batch: &StoredBatch,
        next: RowNumber,
    ) -> Result<BatchRows, BatchError> {
        let content = self.encryption.content(batch).map_err(unreadable)?;
        Ok(BatchRows {
            store: Arc::clone(&self.sources.store),
            lookups: Arc::clone(&self.sources.lookups),
            encryption: Arc::clone(&self.encryption),
            facts: batch.facts.clone(),
            state: batch.state,
            untried: RowNumber(batch.progress.next_row),
            next,
            columns: content.columns,
            place: None,
        })
    }
}
