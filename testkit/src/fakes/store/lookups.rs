//! Stored lookups.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::idempotency::FirstAnswer;
use domain::keys::CounterId;
use domain::lookups::{Attempt, LookupId, LookupState, OtherQueue, QueueAhead};
use domain::pacing::LookupClass;
use domain::page::{Page, PageRequest};
use domain::people::customer::CustomerId;
use domain::proofs::notice::ProofOrigin;
use domain::webhooks::LookupEnd;
use ports::outbound::{
    Cancellation, ClaimEnd, ClaimedClasses, ClaimedLookup, Lease, ListError, LookupChange,
    LookupFilter, LookupNotification, LookupStore, NewLookup, QueuedClass, StoredLookup,
};
use uuid::Uuid;

use super::pages::{newest_first, uncounted};
use super::{MemoryStore, Result, Tables, broken, prune, queue};
use kept::matches_filter;

pub(super) use kept::KeptLookup;

mod kept;

impl Tables {
    fn own_lookup(&self, customer: CustomerId, id: LookupId) -> Option<&KeptLookup> {
        let kept = self.lookups.get(&id)?;
        (kept.stored.facts.customer == customer).then_some(kept)
    }

    /// The running lookup that is held under this lease.
    fn held(&mut self, id: LookupId, token: Uuid) -> Option<&mut KeptLookup> {
        let kept = self.lookups.get_mut(&id)?;
        (kept.lease == Some(token)).then_some(kept)
    }

    /// Claims the due lookup whose turn it is.
    fn claim(
        &mut self,
        classes: ClaimedClasses,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Option<ClaimedLookup> {
        let due = || self.lookups.values().filter(|kept| kept.is_due(now));
        let turn = |kept: &&KeptLookup| {
            let customer = kept.stored.facts.customer;
            let (due_at, id) = (kept.stored.due_at, kept.stored.facts.id);
            (self.last_turn(customer), customer, due_at, id)
        };
        let interactive = due()
            .filter(|kept| kept.stored.next_class() == LookupClass::Interactive)
            .min_by_key(turn);
        let next = match classes {
            ClaimedClasses::Interactive => interactive,
            ClaimedClasses::All => interactive.or_else(|| due().min_by_key(turn)),
        };
        let id = next?.stored.facts.id;
        let latest = self.turns.values().max().copied().unwrap_or_default();
        let kept = self.lookups.get_mut(&id)?;
        self.turns.insert(kept.stored.facts.customer, latest + 1);
        kept.stored.state = LookupState::Running;
        kept.stored.due_at = Some(lease.until);
        kept.stored.updated_at = now;
        kept.lease = Some(lease.token);
        Some(ClaimedLookup {
            lookup: kept.stored.clone(),
            attempts: kept.attempts.clone(),
        })
    }

    fn last_turn(&self, customer: CustomerId) -> u64 {
        self.turns.get(&customer).copied().unwrap_or_default()
    }

    /// Notifies of a change.
    pub(super) fn changed(&mut self, id: LookupId) {
        self.listeners.notify(LookupNotification::Changed(id));
    }

    fn cancel(&mut self, id: LookupId, now: DateTime<Utc>) -> Option<StoredLookup> {
        let kept = self.lookups.get_mut(&id)?;
        kept.end(LookupState::Canceled, now);
        let canceled = kept.stored.clone();
        self.changed(id);
        Some(canceled)
    }

    /// Due lookups that may be claimed before another one.
    fn ahead(&self, lookup: &StoredLookup, now: DateTime<Utc>) -> QueueAhead {
        let mut ahead = QueueAhead::default();
        let mut others = BTreeMap::<_, u64>::new();
        let class = lookup.next_class();
        let due = self.lookups.values().filter(|kept| kept.is_due(now));
        for kept in due.filter(|kept| kept.stored.next_class() == class) {
            let place = |lookup: &StoredLookup| (lookup.due_at, lookup.facts.id);
            let customer = kept.stored.facts.customer;
            if customer != lookup.facts.customer {
                *others.entry(customer).or_default() += 1;
            } else if place(&kept.stored) < place(lookup) {
                ahead.own += 1;
            }
        }
        let turn = |customer| (self.last_turn(customer), customer);
        let others = others.into_iter().map(|(customer, due)| OtherQueue {
            due,
            goes_first: turn(customer) < turn(lookup.facts.customer),
        });
        ahead.others = others.collect();
        ahead
    }

    /// Returns `true` if no key is left that shares these counters and isn't revoked.
    fn is_orphaned(&self, counters: CounterId) -> bool {
        !self.unrevoked_keys().any(|key| key.counters == counters)
    }

    fn queued(&self, class: LookupClass, now: DateTime<Utc>) -> QueuedClass {
        let all = self.lookups.values().map(|kept| &kept.stored);
        let of_class = all.filter(|lookup| lookup.next_class() == class);
        let (due, waiting, oldest) = queue(of_class.map(|lookup| lookup.due_at), now);
        QueuedClass {
            class,
            due,
            waiting,
            oldest,
        }
    }
}

#[async_trait]
impl LookupStore for MemoryStore {
    async fn add_lookup(&self, lookup: &NewLookup) -> Result<()> {
        let mut tables = self.call("add_lookup").await?;
        let facts = lookup.facts.clone();
        if tables.lookups.contains_key(&facts.id) {
            return Err(broken("there is a lookup with this id"));
        }
        let answer = FirstAnswer::Lookup(facts.id);
        tables.answer_first(lookup.claim, answer)?;
        let kept = KeptLookup::queued(facts, lookup.question.clone());
        tables.lookups.insert(lookup.facts.id, kept);
        tables.listeners.notify(LookupNotification::Added);
        Ok(())
    }

    async fn lookup(&self, customer: CustomerId, id: LookupId) -> Result<Option<StoredLookup>> {
        let tables = self.call("lookup").await?;
        let kept = tables.own_lookup(customer, id);
        Ok(kept.map(|kept| kept.stored.clone()))
    }

    async fn lookups_of(
        &self,
        customer: CustomerId,
        ids: &[LookupId],
    ) -> Result<Vec<StoredLookup>> {
        let tables = self.call("lookups_of").await?;
        let found = ids.iter().filter_map(|id| tables.own_lookup(customer, *id));
        Ok(found.map(|kept| kept.stored.clone()).collect())
    }

    async fn attempts(&self, customer: CustomerId, id: LookupId) -> Result<Vec<Attempt>> {
        let tables = self.call("attempts").await?;
        let kept = tables.own_lookup(customer, id);
        Ok(kept.map(|kept| kept.attempts.clone()).unwrap_or_default())
    }

    async fn lookups(
        &self,
        customer: CustomerId,
        filter: &LookupFilter,
        request: &PageRequest,
    ) -> Result<Page<StoredLookup>, ListError> {
        let tables = self.call("lookups").await?;
        let own = tables.lookups.values().map(|kept| &kept.stored);
        let own = own.filter(|lookup| lookup.facts.customer == customer);
        let found = own.filter(|lookup| matches_filter(filter, lookup));
        let created = |lookup: &&StoredLookup| (lookup.facts.created_at, lookup.facts.id.0);
        let found = newest_first(found, request, created)?;
        Ok(uncounted(found.map(StoredLookup::clone)))
    }

    async fn claim_lookups(
        &self,
        most: u32,
        classes: ClaimedClasses,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedLookup>> {
        let mut tables = self.call("claim_lookups").await?;
        let claim = |_| {
            let claimed = tables.claim(classes, now, lease)?;
            tables.changed(claimed.lookup.facts.id);
            Some(claimed)
        };
        Ok((0..most).map_while(claim).collect())
    }

    async fn queue_ahead(&self, lookup: &StoredLookup, now: DateTime<Utc>) -> Result<QueueAhead> {
        Ok(self.call("queue_ahead").await?.ahead(lookup, now))
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>> {
        let tables = self.call("next_due").await?;
        let due = tables.lookups.values();
        Ok(due.filter_map(|kept| kept.stored.due_at).min())
    }

    async fn renew_lease(&self, id: LookupId, lease: Lease) -> Result<bool> {
        let mut tables = self.call("renew_lease").await?;
        let Some(kept) = tables.held(id, lease.token) else {
            return Ok(false);
        };
        kept.stored.due_at = Some(lease.until);
        Ok(true)
    }

    async fn end_claim(&self, end: &ClaimEnd) -> Result<bool> {
        let mut tables = self.call("end_claim").await?;
        let Some(kept) = tables.held(end.id, end.token) else {
            return Ok(false);
        };
        kept.apply(end);
        let StoredLookup {
            facts,
            state,
            last_attempt,
            ..
        } = &kept.stored;
        let ended = match end.change {
            LookupChange::Deliver { seal, .. } => LookupEnd::Delivered {
                seal,
                origin: ProofOrigin::Fetched,
            },
            LookupChange::Wait { .. } | LookupChange::End { .. } => LookupEnd::Without {
                state: *state,
                last: last_attempt.map(|attempt| attempt.outcome),
            },
        };
        let event = facts.end_event(ended, end.now);
        if let LookupChange::End { refund: true, .. } = end.change {
            let facts = facts.clone();
            tables.refund(&facts);
        }
        tables.outbox.enqueue(event.as_ref());
        tables.changed(end.id);
        Ok(true)
    }

    async fn cancel_lookup(
        &self,
        customer: CustomerId,
        id: LookupId,
        now: DateTime<Utc>,
    ) -> Result<Cancellation> {
        let mut tables = self.call("cancel_lookup").await?;
        let Some(found) = tables.own_lookup(customer, id) else {
            return Ok(Cancellation::Unknown);
        };
        if found.stored.state.is_final() {
            return Ok(Cancellation::Final);
        }
        let canceled = tables.cancel(id, now).map(Box::new);
        Ok(canceled.map_or(Cancellation::Unknown, Cancellation::Canceled))
    }

    async fn erase_lookup(&self, customer: CustomerId, id: LookupId) -> Result<bool> {
        let mut tables = self.call("erase_lookup").await?;
        let found = tables.own_lookup(customer, id);
        let is_final = found.is_some_and(|kept| kept.stored.state.is_final());
        if is_final {
            tables.lookups.remove(&id);
        }
        Ok(is_final)
    }

    async fn cancel_orphaned(&self, most: u32, now: DateTime<Utc>) -> Result<Vec<StoredLookup>> {
        let mut tables = self.call("cancel_orphaned").await?;
        let all = tables.lookups.values().map(|kept| &kept.stored);
        let orphaned = all.filter(|lookup| {
            !lookup.state.is_final() && tables.is_orphaned(lookup.facts.key.counters)
        });
        let orphaned = orphaned.map(|lookup| lookup.facts.id);
        let orphaned: Vec<_> = orphaned.take(most as usize).collect();
        let cancel = |id| tables.cancel(id, now);
        Ok(orphaned.into_iter().filter_map(cancel).collect())
    }

    async fn prune_lookups(&self, before: DateTime<Utc>) -> Result<u64> {
        let lookups = &mut self.call("prune_lookups").await?.lookups;
        Ok(prune(lookups, |kept| {
            let is_of_batch = kept.stored.facts.batch.is_some();
            is_of_batch || kept.ended_at.is_none_or(|ended_at| ended_at >= before)
        }))
    }

    async fn lookup_queue(&self, now: DateTime<Utc>) -> Result<Vec<QueuedClass>> {
        let tables = self.call("lookup_queue").await?;
        let classes = LookupClass::ALL.map(|class| tables.queued(class, now));
        Ok(classes.to_vec())
    }
}
