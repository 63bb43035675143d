//! Kept batches, and what changes them.

use chrono::{DateTime, Utc};
use domain::batches::BatchState;
use ports::outbound::{BatchFacts, BatchFilter, NewBatch};
use uuid::Uuid;

use crate::fakes::store::is_wanted;

/// A batch with what its owner isn't shown.
#[derive(Debug)]
pub(in crate::fakes::store) struct KeptBatch {
    pub(super) facts: BatchFacts,
    pub(super) content: Vec<u8>,
    pub(super) chunks: Vec<Vec<u8>>,
    pub(super) state: BatchState,
    pub(super) updated_at: DateTime<Utc>,
    pub(super) due_at: Option<DateTime<Utc>>,
    pub(super) next_row: u32,
    /// Token of the lease, while it is claimed.
    pub(super) lease: Option<Uuid>,
    pub(super) ended_at: Option<DateTime<Utc>>,
}

impl KeptBatch {
    /// A new batch, queued and due at once.
    pub(super) fn queued(batch: &NewBatch) -> Self {
        let created_at = batch.facts.created_at;
        Self {
            facts: batch.facts.clone(),
            content: batch.content.clone(),
            chunks: batch.chunks.clone(),
            state: BatchState::Queued,
            updated_at: created_at,
            due_at: Some(created_at),
            next_row: 0,
            lease: None,
            ended_at: None,
        }
    }

    pub(super) fn set_state(&mut self, state: BatchState, now: DateTime<Utc>) {
        if self.state != state {
            self.state = state;
            self.updated_at = now;
        }
    }

    /// Ends the lease.
    pub(super) fn release(&mut self, due_at: DateTime<Utc>) {
        self.due_at = Some(due_at);
        self.lease = None;
    }

    pub(super) fn end(&mut self, state: BatchState, now: DateTime<Utc>) {
        self.set_state(state, now);
        (self.due_at, self.lease) = (None, None);
        self.ended_at = Some(now);
    }
}

pub(super) fn matches_filter(filter: &BatchFilter, kept: &KeptBatch) -> bool {
    let facts = &kept.facts;
    (filter.states.is_empty() || filter.states.contains(&kept.state))
        && is_wanted(filter.environment, facts.environment)
        && is_wanted(filter.counters, facts.key.counters)
}
