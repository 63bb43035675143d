//! Decrypted views of batches.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::BatchError;
use super::types::BatchView;
use chrono::{DateTime, TimeDelta, Utc};
use domain::batches::BatchState;
use domain::keys::{Environment, KeyId};
use domain::lookups::LookupState;
use domain::outcome::Outcome;
use domain::pacing::Pacing;
use domain::page::Page;
use ports::outbound::{BatchProgress, Clock, StoredBatch};

use super::caller::unreadable;
use super::content::BatchContent;
use super::encryption::BatchEncryption;

/// Rate at which rows are looked up, if no other lookups are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowPace {
    /// The query budget of the portal; the test environment has none.
    pub(super) live: Pacing,
    /// The key's limit per minute; `None` if unknown.
    pub(super) per_minute: Option<u32>,
}

impl RowPace {
    /// Estimated time for this number of rows.
    pub(super) fn time_for(self, environment: Environment, rows: u32) -> TimeDelta {
        let bank = match environment {
            Environment::Live => u64::from(rows) * millis(self.live.spacing()),
            Environment::Test => 0,
        };
        // The requests of the first minute are charged at once.
        let by_limit = self.per_minute.map_or(0, |limit| {
            u64::from(rows.saturating_sub(limit)) * 60_000 / u64::from(limit.max(1))
        });
        let millis = i64::try_from(bank.max(by_limit)).unwrap_or(i64::MAX);
        TimeDelta::try_milliseconds(millis).unwrap_or(TimeDelta::MAX)
    }
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Limits per minute of keys whose batches aren't final; `None` for a key that doesn't exist any more.
pub(super) type KeyLimits = HashMap<KeyId, Option<u32>>;

/// Builds views of stored batches.
#[derive(Clone)]
pub(super) struct Views {
    pub(super) encryption: Arc<BatchEncryption>,
    pub(super) clock: Arc<dyn Clock>,
    /// The query budget of the portal.
    pub(super) pacing: Pacing,
    /// Time for which a batch is kept after its end.
    pub(super) retention: TimeDelta,
}

impl Views {
    /// The rate for rows of a key with this limit.
    pub(super) fn pace(&self, per_minute: Option<u32>) -> RowPace {
        RowPace {
            live: self.pacing,
            per_minute,
        }
    }

    /// Decrypts a batch.
    pub(super) fn view(
        &self,
        limits: &KeyLimits,
        batch: &StoredBatch,
    ) -> Result<BatchView, BatchError> {
        let content = self.encryption.content(batch).map_err(unreadable)?;
        Ok(self.of(limits, batch, content))
    }

    /// Decrypts a page of batches. Those that can't be decrypted are listed with default options.
    pub(super) fn page(&self, limits: &KeyLimits, page: Page<StoredBatch>) -> Page<BatchView> {
        let mut failures = Vec::new();
        let views = page.map(|batch| {
            let content = self.encryption.content(&batch).unwrap_or_else(|cause| {
                failures.push(cause);
                BatchContent::unreadable()
            });
            self.of(limits, &batch, content)
        });
        if let Some(cause) = failures.first() {
            let batches = failures.len();
            tracing::warn!(batches, %cause, "batches of a list can't be decrypted");
        }
        views
    }

    fn of(&self, limits: &KeyLimits, batch: &StoredBatch, content: BatchContent) -> BatchView {
        let pace = self.pace(limits.get(&batch.facts.key.id).copied().flatten());
        of(batch, content, (pace, self.retention, self.clock.now()))
    }
}

/// Builds the view of a batch with decrypted options.
fn of(
    batch: &StoredBatch,
    content: BatchContent,
    (pace, retention, now): (RowPace, TimeDelta, DateTime<Utc>),
) -> BatchView {
    let facts = &batch.facts;
    let erase_at = batch.state.is_final().then(|| batch.updated_at + retention);
    let without_lookup = without_lookup(batch);
    let (not_begun, erased) = match batch.state {
        BatchState::Finished => (0, without_lookup),
        _ => (without_lookup, 0),
    };
    let untried = not_begun + batch.progress.in_state(LookupState::Queued);
    let is_working = matches!(batch.state, BatchState::Queued | BatchState::Running);
    let eta = (is_working && untried > 0)
        .then(|| now.checked_add_signed(pace.time_for(facts.environment, untried)));
    BatchView {
        id: facts.id,
        key: facts.key.id,
        environment: facts.environment,
        state: batch.state,
        reason: (batch.state == BatchState::Paused).then_some(Outcome::QuotaExceeded),
        name: content.name,
        files: content.files,
        retry_for: content.retry_for,
        created_at: facts.created_at,
        updated_at: batch.updated_at,
        erase_at,
        counts: facts.counts,
        passed_over: content.passed_over,
        not_begun,
        erased,
        lookups: batch.progress.lookups.clone(),
        seal_invalid: batch.progress.seal_invalid,
        seal_not_checked: batch.progress.seal_not_checked,
        eta: eta.flatten(),
    }
}

/// Number of rows to look up that have no lookup: not created yet, or erased.
fn without_lookup(batch: &StoredBatch) -> u32 {
    let BatchProgress { lookups, .. } = &batch.progress;
    let made: u32 = lookups.iter().map(|(_, lookups)| lookups).sum();
    batch.facts.counts.ready().saturating_sub(made)
}
