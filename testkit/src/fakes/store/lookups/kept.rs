//! Kept lookups, and what changes them.

use chrono::{DateTime, Utc};
use domain::lookups::{Attempt, LookupState};
use domain::seals::SealVerdict;
use ports::outbound::{ClaimEnd, LookupChange, LookupFacts, LookupFilter, StoredLookup};
use uuid::Uuid;

use crate::fakes::store::is_wanted;

/// A lookup with what its owner isn't shown.
#[derive(Debug)]
pub(in crate::fakes::store) struct KeptLookup {
    pub(in crate::fakes::store) stored: StoredLookup,
    pub(in crate::fakes::store) attempts: Vec<Attempt>,
    /// Token of the lease, while it is running.
    pub(in crate::fakes::store) lease: Option<Uuid>,
    pub(in crate::fakes::store) ended_at: Option<DateTime<Utc>>,
}

impl KeptLookup {
    /// A new lookup, queued and due at once.
    pub(in crate::fakes::store) fn queued(facts: LookupFacts, question: Vec<u8>) -> Self {
        let stored = StoredLookup {
            state: LookupState::Queued,
            updated_at: facts.created_at,
            due_at: Some(facts.created_at),
            attempts: 0,
            last_attempt: None,
            question,
            proof: None,
            seal: None,
            finding: None,
            facts,
        };
        Self {
            attempts: Vec::new(),
            lease: None,
            ended_at: None,
            stored,
        }
    }

    /// Returns `true` if nobody began to work on it so far.
    pub(in crate::fakes::store) fn is_untouched(&self) -> bool {
        self.stored.due_at.is_some() && self.stored.attempts == 0 && self.lease.is_none()
    }

    pub(super) fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.stored.due_at.is_some_and(|due_at| due_at <= now)
    }

    pub(in crate::fakes::store) fn end(&mut self, state: LookupState, now: DateTime<Utc>) {
        self.stored.state = state;
        self.stored.due_at = None;
        self.stored.updated_at = now;
        self.ended_at = Some(now);
        self.lease = None;
    }

    pub(in crate::fakes::store) fn deliver(
        &mut self,
        proof: &[u8],
        seal: SealVerdict,
        now: DateTime<Utc>,
    ) {
        self.stored.proof = Some(proof.to_vec());
        self.stored.seal = Some(seal);
        self.stored.finding = None;
        self.end(LookupState::Delivered, now);
    }

    /// Records the end of a claim; all but the refund.
    pub(super) fn apply(&mut self, end: &ClaimEnd) {
        if let Some(attempt) = end.attempt {
            self.attempts.push(attempt);
            self.stored.attempts += 1;
            self.stored.last_attempt = Some(attempt);
        }
        self.stored.finding.clone_from(&end.finding);
        if let Some(question) = &end.question {
            self.stored.question.clone_from(question);
        }
        match &end.change {
            LookupChange::Wait { due_at } => {
                self.stored.state = match self.stored.attempts {
                    0 => LookupState::Queued,
                    _ => LookupState::Waiting,
                };
                self.stored.due_at = Some(*due_at);
                self.stored.updated_at = end.now;
                self.lease = None;
            }
            LookupChange::Deliver { proof, seal } => self.deliver(proof, *seal, end.now),
            LookupChange::End { state, .. } => self.end(*state, end.now),
        }
    }
}

pub(super) fn matches_filter(filter: &LookupFilter, lookup: &StoredLookup) -> bool {
    let facts = &lookup.facts;
    let batch = facts.batch.map(|row| row.batch);
    (filter.states.is_empty() || filter.states.contains(&lookup.state))
        && is_wanted(filter.environment, facts.environment)
        && is_wanted(filter.counters, facts.key.counters)
        && is_wanted(filter.batch.map(Some), batch)
        && filter
            .created_from
            .is_none_or(|from| from <= facts.created_at)
}
