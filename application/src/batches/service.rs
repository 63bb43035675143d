//! Batches of callers: their creation, reads, removal.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::batch::{BatchId, BatchState, ROWS_PER_CHUNK, RowNumber};
use domain::idempotency::FirstAnswer;
use domain::key::KeyId;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::Pacing;
use domain::page::{Page, PageRequest, PageSize};
use domain::rate::Rate;
use domain::request::RequestId;
use ports::Cause;
use ports::inbound::{
    BatchAccess, BatchDraft, BatchError, BatchPreview, BatchQuery, BatchRead, BatchRows, BatchView,
    Batches, CreatedBatch, ImportFile, ImportReport, RepeatError, RepeatableBatch,
};
use ports::outbound::{
    BatchCancellation, BatchFacts, BatchFilter, BatchStore, CanceledLookup, Clock, CustomerStore,
    KeyStore, ListError, NewBatch, Random, ScopeClaim, StoredBatch, new_id,
};

use super::caller::{BatchKey, Owner, READS_PER_MINUTE, store_failed, unavailable, unreadable};
use super::content::{BatchContent, StoredRow};
use super::draft::CheckedRows;
use super::encryption::BatchEncryption;
use super::rows::StoredRows;
use super::view::{self, RowPace};
use crate::admission::{GatekeeperService, Identified, Settlement};
use crate::idempotency::{IdempotencyService, NotBegun};
use crate::lookups::{LookupService, charged};
use crate::people::Authorization;
use crate::sync::buckets::Buckets;

/// Batches of a customer that may be open at the same time.
const MAX_OPEN: u32 = 20;

/// Sources of batches.
pub struct BatchSources {
    /// The batches.
    pub store: Arc<dyn BatchStore>,
    /// The keys that they are created for.
    pub keys: Arc<dyn KeyStore>,
    /// The customers.
    pub customers: Arc<dyn CustomerStore>,
    /// The lookups of their rows.
    pub lookups: Arc<LookupService>,
    /// Keys and limits.
    pub gatekeeper: Arc<GatekeeperService>,
    /// Recognition of repeated requests.
    pub idempotency: Arc<IdempotencyService>,
}

/// Creates, reads and removes batches.
pub struct BatchService {
    pub(super) store: Arc<dyn BatchStore>,
    pub(super) keys: Arc<dyn KeyStore>,
    pub(super) authorization: Authorization,
    pub(super) lookups: Arc<LookupService>,
    pub(super) gatekeeper: Arc<GatekeeperService>,
    idempotency: Arc<IdempotencyService>,
    pub(super) encryption: Arc<BatchEncryption>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) random: Arc<dyn Random>,
    /// The budget of live lookups.
    pacing: Pacing,
    /// Time for which a batch is kept after its end.
    retention: TimeDelta,
    pub(super) reads: Buckets<KeyId>,
}

impl BatchService {
    /// A service over these. `pacing` is the budget of live lookups; batches are erased after `retention`.
    pub fn new(
        sources: BatchSources,
        encryption: Arc<BatchEncryption>,
        (clock, random): (Arc<dyn Clock>, Arc<dyn Random>),
        pacing: Pacing,
        retention: TimeDelta,
    ) -> Self {
        let rate = Rate {
            burst: READS_PER_MINUTE,
            interval: Duration::from_mins(1) / READS_PER_MINUTE,
        };
        let (same_clock, same_random) = (Arc::clone(&clock), Arc::clone(&random));
        Self {
            store: sources.store,
            keys: sources.keys,
            authorization: Authorization::new(sources.customers, same_clock, same_random),
            lookups: sources.lookups,
            gatekeeper: sources.gatekeeper,
            idempotency: sources.idempotency,
            encryption,
            clock,
            random,
            pacing,
            retention,
            reads: Buckets::new(rate),
        }
    }

    /// A customer's batch that the caller sees.
    pub(super) async fn own(&self, owner: &Owner, id: BatchId) -> Result<StoredBatch, BatchError> {
        let found = self.store.batch(owner.customer, id).await;
        let found = found.map_err(store_failed)?;
        let is_seen = |batch: &StoredBatch| {
            owner
                .environment()
                .is_none_or(|environment| environment == batch.facts.environment)
        };
        found.filter(is_seen).ok_or(BatchError::Unknown)
    }

    pub(super) fn view(&self, owner: &Owner, batch: &StoredBatch) -> Result<BatchView, BatchError> {
        let content = self.encryption.content(batch).map_err(unreadable)?;
        let about = (
            self.pace(owner.by.as_ref()),
            self.retention,
            self.clock.now(),
        );
        Ok(view::of(batch, content, about))
    }

    fn pace(&self, by: Option<&Identified>) -> RowPace {
        RowPace {
            live: self.pacing,
            per_minute: by.map(|by| by.limit_status.minute.limit),
        }
    }

    fn preview_of(&self, owner: &Owner, key: &BatchKey, rows: &CheckedRows) -> BatchPreview {
        let quota = owner.by.and_then(|by| by.limit_status.month);
        let pace = self.pace(owner.by.as_ref());
        let time = pace.time_for(key.environment, rows.counts.ready());
        BatchPreview {
            counts: rows.counts,
            rejected: rows.rejected(&self.lookups.reader.catalogue()),
            quota_left: quota.map(|month| month.remaining()),
            seconds: u64::try_from(time.num_seconds()).unwrap_or_default(),
        }
    }

    /// Fails when a customer has as many open batches as it may.
    async fn check_open(&self, owner: &Owner) -> Result<(), BatchError> {
        let open = BatchState::ALL
            .into_iter()
            .filter(|state| !state.is_final());
        let filter = BatchFilter {
            states: open.collect(),
            ..BatchFilter::default()
        };
        let page = PageRequest::first(PageSize::new(MAX_OPEN).unwrap_or(PageSize::MAX));
        let page = self.store.batches(owner.customer, &filter, &page).await;
        let page = page.map_err(of_list)?;
        if page.items.len() < MAX_OPEN as usize {
            return Ok(());
        }
        Err(BatchError::TooManyOpen { limit: MAX_OPEN })
    }

    /// The batch of an earlier request with the same idempotency key; or the claim of a first one.
    async fn first(
        &self,
        by: &Identified,
        RepeatableBatch { key, content }: &RepeatableBatch,
    ) -> Result<FirstOrClaim, BatchError> {
        let request = self
            .idempotency
            .request(by, Endpoint::Batches, key, content);
        let first = self.idempotency.first_answer(by, &request).await;
        match first.map_err(not_begun)? {
            Some(FirstAnswer::Batch(id)) => Ok(FirstOrClaim::First(id)),
            Some(_) => Err(BatchError::NotRepeated(RepeatError::KeyReused)),
            None => {
                let claim = self.idempotency.claim(&request).await;
                Ok(FirstOrClaim::Claim(claim.map_err(not_begun)?))
            }
        }
    }

    /// Encrypts and stores a batch.
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
        self.store.add_batch(&batch).await.map_err(store_failed)?;
        Ok(id)
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

    /// Records the ends of lookups that were canceled with their batch.
    async fn conclude_canceled(&self, lookups: Vec<CanceledLookup>) {
        for CanceledLookup { facts, refunded } in lookups {
            self.lookups.signal_change(facts.id);
            let charged = charged(&facts);
            if refunded {
                let refund =
                    self.gatekeeper
                        .refund_unattended(charged.key, charged.month, charged.id);
                refund.await;
            }
            let settlement = Settlement::of(Outcome::Canceled);
            let conclusion = self
                .gatekeeper
                .conclude(charged, settlement, Duration::ZERO);
            conclusion.await;
        }
    }
}

/// A batch of an earlier request, or the claim of a first one.
enum FirstOrClaim {
    First(BatchId),
    Claim(ScopeClaim),
}

#[async_trait]
impl Batches for BatchService {
    async fn identify(&self, access: &BatchAccess) -> Result<BatchRead<()>, BatchError> {
        Ok(self.owner(access).await?.read(()))
    }

    async fn preview(
        &self,
        access: &BatchAccess,
        draft: BatchDraft,
    ) -> Result<BatchRead<BatchPreview>, BatchError> {
        let owner = self.owner(access).await?;
        let key = self.batch_key(&owner, draft.key).await?;
        let rows = CheckedRows::of(draft.rows, &self.lookups.reader.catalogue());
        Ok(owner.read(self.preview_of(&owner, &key, &rows)))
    }

    async fn create(
        &self,
        access: &BatchAccess,
        draft: BatchDraft,
        repeatable: Option<RepeatableBatch>,
    ) -> Result<CreatedBatch, BatchError> {
        let owner = self.owner(access).await?;
        let key = self.batch_key(&owner, draft.key).await?;
        let mut claim = None;
        if let (Some(repeatable), Some(by)) = (&repeatable, &owner.by) {
            match self.first(by, repeatable).await? {
                FirstOrClaim::First(id) => {
                    let found = self.store.batch(owner.customer, id).await;
                    let found = found.map_err(store_failed)?;
                    let view = found.map(|batch| self.view(&owner, &batch)).transpose()?;
                    return Ok(CreatedBatch {
                        batch: owner.read(view),
                        repeated: true,
                    });
                }
                FirstOrClaim::Claim(held) => claim = Some(held),
            }
        }
        let created = self.create_first(&owner, key, (draft, access), claim).await;
        if let (Err(_), Some(claim)) = (&created, claim) {
            self.idempotency.end(claim, None).await;
        }
        let id = created?;
        let batch = self.own(&owner, id).await?;
        let view = self.view(&owner, &batch)?;
        Ok(CreatedBatch {
            batch: owner.read(Some(view)),
            repeated: false,
        })
    }

    async fn find(
        &self,
        access: &BatchAccess,
        id: BatchId,
    ) -> Result<BatchRead<BatchView>, BatchError> {
        let owner = self.owner(access).await?;
        let batch = self.own(&owner, id).await?;
        Ok(owner.read(self.view(&owner, &batch)?))
    }

    async fn list(
        &self,
        access: &BatchAccess,
        query: &BatchQuery,
    ) -> Result<BatchRead<Page<BatchView>>, BatchError> {
        let owner = match self.owner(access).await {
            Err(BatchError::Unknown) if query.key.is_none() => {
                // A person without an account has none.
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
        let page = self
            .store
            .batches(owner.customer, &filter, &query.page)
            .await;
        let Page {
            items,
            has_next,
            total,
        } = page.map_err(of_list)?;
        let view = |(cursor, batch): (_, StoredBatch)| Ok((cursor, self.view(&owner, &batch)?));
        let items = items
            .into_iter()
            .map(view)
            .collect::<Result<_, BatchError>>();
        Ok(owner.read(Page {
            items: items?,
            has_next,
            total,
        }))
    }

    async fn rows(
        &self,
        access: &BatchAccess,
        id: BatchId,
        first: RowNumber,
    ) -> Result<BatchRead<Box<dyn BatchRows>>, BatchError> {
        let owner = self.owner(access).await?;
        let batch = self.own(&owner, id).await?;
        let rows = StoredRows {
            store: Arc::clone(&self.store),
            lookups: Arc::clone(&self.lookups),
            encryption: Arc::clone(&self.encryption),
            facts: batch.facts,
            next: first,
        };
        Ok(owner.read(Box::new(rows)))
    }

    async fn cancel(
        &self,
        access: &BatchAccess,
        id: BatchId,
    ) -> Result<BatchRead<BatchView>, BatchError> {
        let owner = self.owner(access).await?;
        self.own(&owner, id).await?;
        let canceled = self
            .store
            .cancel_batch(owner.customer, id, self.clock.now());
        match canceled.await.map_err(store_failed)? {
            BatchCancellation::Canceled { lookups } => {
                tracing::info!(target: "cep::batch", %id, "a batch was canceled");
                self.conclude_canceled(lookups).await;
                let batch = self.own(&owner, id).await?;
                Ok(owner.read(self.view(&owner, &batch)?))
            }
            BatchCancellation::Final => Err(BatchError::Final),
            BatchCancellation::Unknown => Err(BatchError::Unknown),
        }
    }

    async fn erase(&self, access: &BatchAccess, id: BatchId) -> Result<BatchRead<()>, BatchError> {
        let owner = self.owner(access).await?;
        self.own(&owner, id).await?;
        let erased = self.store.erase_batch(owner.customer, id).await;
        if erased.map_err(store_failed)? {
            tracing::info!(target: "cep::batch", %id, "a batch was erased");
            return Ok(owner.read(()));
        }
        Err(BatchError::NotFinal)
    }

    async fn import(
        &self,
        access: &BatchAccess,
        id: BatchId,
        files: Vec<ImportFile>,
    ) -> Result<BatchRead<ImportReport>, BatchError> {
        let owner = self.owner(access).await?;
        let batch = self.own(&owner, id).await?;
        Ok(owner.read(self.import_into(&batch, files).await?))
    }
}

impl BatchService {
    /// Creates a batch that no earlier request created.
    async fn create_first(
        &self,
        owner: &Owner,
        key: BatchKey,
        (draft, access): (BatchDraft, &BatchAccess),
        claim: Option<ScopeClaim>,
    ) -> Result<BatchId, BatchError> {
        let rows = CheckedRows::of(draft.rows, &self.lookups.reader.catalogue());
        if rows.counts.ready() == 0 {
            let preview = self.preview_of(owner, &key, &rows);
            return Err(BatchError::NothingToDo(Box::new(preview)));
        }
        self.check_open(owner).await?;
        let content = BatchContent {
            name: draft.name,
            files: draft.files,
            retry_for: draft.retry_for,
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
}

fn of_list(error: ListError) -> BatchError {
    match error {
        ListError::Cursor(error) => BatchError::Cursor(error),
        ListError::Store(error) => store_failed(error),
    }
}

fn not_begun(error: NotBegun) -> BatchError {
    match error {
        NotBegun::Refused(error) => BatchError::Refused(error),
        NotBegun::NotRepeated(error) => BatchError::NotRepeated(error),
    }
}
