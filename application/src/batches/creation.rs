//! Creation of batches.

use super::error::BatchError;
use super::types::{BatchAccess, BatchDraft};
use domain::batches::{BatchId, ROWS_PER_CHUNK};
use domain::request::RequestId;
use ports::Cause;
use ports::outbound::{BatchAddition, BatchBounds, BatchFacts, NewBatch, ScopeClaim, new_id};

use super::caller::{BatchKey, Owner, store_failed, unavailable};
use super::content::{BatchContent, StoredRow};
use super::draft::CheckedRows;
use super::service::BatchService;
use crate::metrics;

/// Maximum number of a customer's batches that aren't final.
const MAX_OPEN: u32 = 20;
/// Maximum number of stored rows of a customer: some 300 MB of usual tables, and 2.5 GB at most.
const MAX_KEPT_ROWS: u64 = 1_000_000;

impl BatchService {
    /// Creates a batch, if no earlier request with its idempotency key did.
    pub(super) async fn create_first(
        &self,
        owner: &Owner,
        key: BatchKey,
        (mut draft, access): (BatchDraft, &BatchAccess),
        claim: Option<ScopeClaim>,
    ) -> Result<BatchId, BatchError> {
        self.pass_over_answered(owner.customer, key.environment, &mut draft)
            .await?;
        let catalogue = self.sources.lookups.reader.catalogue();
        let found = (draft.columns, &*draft.passed_over);
        let rows = CheckedRows::of(draft.rows, found, &catalogue);
        if rows.counts.ready() == 0 {
            let preview = self.preview_of(&key, &rows);
            return Err(BatchError::NothingToDo(Box::new(preview)));
        }
        let content = BatchContent {
            name: draft.name,
            files: draft.files,
            retry_for: draft.retry_for,
            columns: rows.columns.clone(),
            passed_over: rows.passed_over.clone(),
        };
        let request_id = match access {
            BatchAccess::Key(access) => access.request_id.clone(),
            BatchAccess::Person(caller) => caller.request_id.clone(),
        };
        let id = self.store(owner, key, (content, &rows), (request_id.clone(), claim));
        let id = id.await?;
        let rows = rows.counts.rows;
        tracing::info!(target: "cep::batch", %id, rows, %request_id, "a batch was created");
        Ok(id)
    }

    /// Encrypts and stores a batch; an error if its owner has reached a limit.
    async fn store(
        &self,
        owner: &Owner,
        key: BatchKey,
        (draft, rows): (BatchContent, &CheckedRows),
        (request_id, claim): (RequestId, Option<ScopeClaim>),
    ) -> Result<BatchId, BatchError> {
        let id = BatchId(new_id(self.clock.as_ref(), self.random.as_ref()));
        let facts = BatchFacts {
            id,
            customer: owner.customer,
            key: key.key,
            environment: key.environment,
            request_id,
            created_at: self.clock.now(),
            counts: rows.counts,
            generation: self.encryption.generation(),
        };
        let encrypted = self.encrypted(&facts, &draft, &rows.rows);
        let (content, chunks) = encrypted.map_err(unavailable)?;
        let batch = NewBatch {
            facts,
            content,
            chunks,
            claim,
        };
        let bounds = BatchBounds {
            open: MAX_OPEN,
            rows: MAX_KEPT_ROWS,
        };
        let added = self.sources.store.add_batch(&batch, bounds).await;
        match added.map_err(store_failed)? {
            BatchAddition::Added => {
                metrics::batch_created();
                Ok(id)
            }
            BatchAddition::TooManyOpen => Err(BatchError::TooManyOpen { limit: MAX_OPEN }),
            BatchAddition::TooManyRows => Err(BatchError::TooManyRows {
                limit: MAX_KEPT_ROWS,
            }),
        }
    }

    fn encrypted(
        &self,
        facts: &BatchFacts,
        content: &BatchContent,
        rows: &[StoredRow],
    ) -> Result<(Vec<u8>, Vec<Vec<u8>>), Cause> {
        let chunks = (0..).zip(rows.chunks(ROWS_PER_CHUNK as usize));
        let chunks = chunks
            .map(|(number, rows)| self.encryption.encrypt_chunk(facts, number, rows))
            .collect::<Result<_, _>>()?;
        Ok((self.encryption.encrypt_content(facts, content)?, chunks))
    }
}
