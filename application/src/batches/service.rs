//! Creation, cancellation and removal of batches.

use std::sync::Arc;
use std::time::Duration;

use super::types::{
    BatchAccess, BatchDraft, BatchPreview, BatchRead, BatchView, CreatedBatch, RepeatableBatch,
};
use bytes::Bytes;
use chrono::TimeDelta;
use domain::batches::{BatchId, BatchState};
use domain::calendar;
use domain::idempotency::FirstAnswer;
use domain::keys::{CountedKey, KeyId};
use domain::limits::rate::Rate;
use domain::outcome::Endpoint;
use domain::own_accounts::OwnAccount;
use domain::pacing::Pacing;

use super::error::BatchError;

use super::import_report::ImportReport;
use crate::proofs::RepeatError;
use ports::outbound::{
    BatchCancellation, BatchStore, Clock, Random, ScopeClaim, StoredBatch, Timer,
};

use super::caller::{BatchKey, Owner, READS_PER_MINUTE, store_failed, unavailable};
use super::draft::CheckedRows;
use super::encryption::BatchEncryption;
use super::places::{BatchPlaces, Uploader};
use super::sent_files::ImportedFiles;
use super::view::Views;
use crate::admission::GatekeeperService;
use crate::idempotency::{IdempotencyService, NotBegun};
use crate::lookups::{LookupService, ReadTurn};
use crate::metrics;
use crate::people::AccountKeys;
use crate::proofs::DeliveryHistory;
use crate::sync::WorkSignal;
use crate::sync::buckets::Buckets;

/// Dependencies of a [`BatchService`].
pub struct BatchSources {
    /// Store of the batches.
    pub store: Arc<dyn BatchStore>,
    /// Accounts of people with a session, and the keys that batches are charged to.
    pub account_keys: Arc<AccountKeys>,
    /// Creates and reads the lookups of rows.
    pub lookups: Arc<LookupService>,
    /// Checks keys and limits.
    pub gatekeeper: Arc<GatekeeperService>,
    /// Recognises repeated requests.
    pub idempotency: Arc<IdempotencyService>,
    /// Signals new webhook events to the delivery worker.
    pub webhooks: Arc<WorkSignal>,
    /// Sleeps between polls of waiting readers.
    pub timer: Arc<dyn Timer>,
    /// Limits of concurrency that all services of a process share.
    pub places: Arc<BatchPlaces>,
    /// Parses imported files.
    pub files: Arc<ImportedFiles>,
    /// Finds and records earlier deliveries of proofs.
    pub history: Arc<DeliveryHistory>,
}

/// Creates, reads and removes batches of callers.
pub struct BatchService {
    pub(super) sources: BatchSources,
    pub(super) encryption: Arc<BatchEncryption>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) random: Arc<dyn Random>,
    pub(super) views: Views,
    pub(super) reads: Buckets<KeyId>,
}

impl BatchService {
    /// Creates a service. `pacing` is the query budget of the portal; batches are erased `retention` after
    /// their end.
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
        let views = Views {
            encryption: Arc::clone(&encryption),
            clock: Arc::clone(&clock),
            pacing,
            retention,
        };
        Self {
            sources,
            encryption,
            clock,
            random,
            views,
            reads: Buckets::new(rate),
        }
    }

    /// Waits for the turn of a caller with a key. Reads by people use separate database connections.
    pub(super) async fn read_turn(&self, owner: &Owner) -> Option<ReadTurn> {
        owner.by.as_ref()?;
        Some(self.sources.lookups.read_turn(owner.customer).await)
    }

    /// A customer's batch, if it is in an environment that the caller may see.
    pub(super) async fn own(&self, owner: &Owner, id: BatchId) -> Result<StoredBatch, BatchError> {
        let _turn = self.read_turn(owner).await;
        let found = self.sources.store.batch(owner.customer, id).await;
        let found = found.map_err(store_failed)?;
        let is_seen = |batch: &StoredBatch| {
            owner
                .environment()
                .is_none_or(|environment| environment == batch.facts.environment)
        };
        found.filter(is_seen).ok_or(BatchError::Unknown)
    }

    pub(super) fn preview_of(&self, key: &BatchKey, rows: &CheckedRows) -> BatchPreview {
        let pace = self.views.pace(Some(key.per_minute));
        let time = pace.time_for(key.environment, rows.counts.ready());
        let catalogue = self.sources.lookups.reader.catalogue();
        let today = calendar::today(self.clock.now());
        BatchPreview {
            counts: rows.counts,
            rejected: rows.rejected(&catalogue),
            warnings: rows.warnings(today, &catalogue),
            passed_over: rows.passed_over.clone(),
            quota_left: key.quota_left,
            seconds: u64::try_from(time.num_seconds()).unwrap_or_default(),
        }
    }

    /// The batch of the first request with the same idempotency key; or a claim if there was none.
    async fn first(
        &self,
        by: CountedKey,
        RepeatableBatch { key, content }: &RepeatableBatch,
    ) -> Result<FirstOrClaim, BatchError> {
        let request = self
            .sources
            .idempotency
            .request(by, Endpoint::Batches, key, content);
        let first = self.sources.idempotency.first_answer(by, &request).await;
        match first.map_err(not_begun)? {
            Some(FirstAnswer::Batch(id)) => Ok(FirstOrClaim::First(id)),
            Some(_) => Err(BatchError::NotRepeated(RepeatError::KeyReused)),
            None => {
                let claim = self.sources.idempotency.claim(&request).await;
                Ok(FirstOrClaim::Claim(claim.map_err(not_begun)?))
            }
        }
    }
}

/// Result of looking for an earlier request with the same idempotency key.
enum FirstOrClaim {
    First(BatchId),
    Claim(ScopeClaim),
}

impl BatchService {
    /// Checks the caller and the named key before a file is uploaded.
    ///
    /// # Errors
    /// See [`BatchError`].
    pub async fn uploader(
        &self,
        access: &BatchAccess,
        key: Option<KeyId>,
    ) -> Result<Uploader, BatchError> {
        let owner = self.creator(access).await?;
        let charged = if key.is_some() {
            let named = self.batch_key(&owner, key).await?;
            Some((named.key.id, named.environment))
        } else {
            owner.by.map(|by| (by.key.id, by.environment))
        };
        let places = Arc::clone(&self.sources.places);
        Ok(Uploader::new(owner.customer, charged, places))
    }

    /// The own accounts of the uploader's customer.
    ///
    /// # Errors
    /// They can't be read.
    pub async fn own_accounts(&self, uploader: &Uploader) -> Result<Vec<OwnAccount>, BatchError> {
        let own = self.sources.lookups.own_accounts(uploader.customer()).await;
        own.map_err(unavailable)
    }

    /// Checks the rows of a batch without storing anything.
    ///
    /// # Errors
    /// See [`BatchError`].
    pub async fn preview(
        &self,
        access: &BatchAccess,
        mut draft: BatchDraft,
    ) -> Result<BatchRead<BatchPreview>, BatchError> {
        let owner = self.creator(access).await?;
        let key = self.batch_key(&owner, draft.key).await?;
        self.pass_over_answered(owner.customer, key.environment, &mut draft)
            .await?;
        let catalogue = self.sources.lookups.reader.catalogue();
        let found = (draft.columns, &*draft.passed_over);
        let rows = CheckedRows::of(draft.rows, found, &catalogue);
        Ok(owner.read(self.preview_of(&key, &rows)))
    }

    /// Creates a batch. Rows that can be looked up are processed in row order; the others are only listed.
    ///
    /// # Errors
    /// See [`BatchError`].
    pub async fn create(
        &self,
        access: &BatchAccess,
        draft: BatchDraft,
        repeatable: Option<RepeatableBatch>,
    ) -> Result<CreatedBatch, BatchError> {
        let owner = self.creator(access).await?;
        let key = self.batch_key(&owner, draft.key).await?;
        let mut claim = None;
        if let Some(repeatable) = &repeatable {
            match self.first(key.key, repeatable).await? {
                FirstOrClaim::First(id) => {
                    let found = self.sources.store.batch(owner.customer, id).await;
                    let found = found.map_err(store_failed)?;
                    let view = match found {
                        Some(batch) => Some(self.view(&owner, &batch).await?),
                        None => None,
                    };
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
            self.sources.idempotency.end(claim, None).await;
        }
        let id = created?;
        let batch = self.own(&owner, id).await?;
        let view = self.view(&owner, &batch).await?;
        Ok(CreatedBatch {
            batch: owner.read(Some(view)),
            repeated: false,
        })
    }

    /// Cancels a batch that isn't final, with the lookups of its rows.
    ///
    /// # Errors
    /// [`BatchError::Final`]; see [`BatchError`] for others.
    pub async fn cancel(
        &self,
        access: &BatchAccess,
        id: BatchId,
    ) -> Result<BatchRead<BatchView>, BatchError> {
        let owner = self.owner(access).await?;
        self.own(&owner, id).await?;
        let canceled = self
            .sources
            .store
            .cancel_batch(owner.customer, id, self.clock.now());
        match canceled.await.map_err(store_failed)? {
            BatchCancellation::Canceled { lookups } => {
                tracing::info!(target: "cep::batch", %id, "a batch was canceled");
                metrics::batch_ended(BatchState::Canceled);
                self.sources.lookups.conclude_canceled_rows(lookups).await;
                let batch = self.own(&owner, id).await?;
                Ok(owner.read(self.view(&owner, &batch).await?))
            }
            BatchCancellation::Final => Err(BatchError::Final),
            BatchCancellation::Unknown => Err(BatchError::Unknown),
        }
    }

    /// Removes a final batch with all its data.
    ///
    /// # Errors
    /// [`BatchError::NotFinal`]; see [`BatchError`] for others.
    pub async fn erase(
        &self,
        access: &BatchAccess,
        id: BatchId,
    ) -> Result<BatchRead<()>, BatchError> {
        let owner = self.owner(access).await?;
        self.own(&owner, id).await?;
        let erased = self.sources.store.erase_batch(owner.customer, id).await;
        if erased.map_err(store_failed)? {
            tracing::info!(target: "cep::batch", %id, "a batch was erased");
            return Ok(owner.read(()));
        }
        Err(BatchError::NotFinal)
    }

    /// Delivers the proofs among the files, which the bank's own batch returned, to the rows without a proof
    /// that they match. Format and row are recognised by the content of each file.
    ///
    /// # Errors
    /// [`BatchError::Canceled`]; see [`BatchError`] for others.
    pub async fn import(
        &self,
        access: &BatchAccess,
        id: BatchId,
        files: Vec<Bytes>,
    ) -> Result<BatchRead<ImportReport>, BatchError> {
        let owner = self.owner(access).await?;
        let batch = self.own(&owner, id).await?;
        Ok(owner.read(self.import_into(&batch, files).await?))
    }
}

fn not_begun(error: NotBegun) -> BatchError {
    match error {
        NotBegun::Refused(error) => BatchError::Refused(error),
        NotBegun::NotRepeated(error) => BatchError::NotRepeated(error),
    }
}
