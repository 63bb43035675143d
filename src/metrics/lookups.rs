//! Metrics of stored lookups.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::lookups::{Attempt, LookupId, LookupState, QueueAhead};
use domain::page::{Page, PageRequest};
use domain::people::customer::CustomerId;
use ports::outbound::{
    Cancellation, ClaimEnd, ClaimedClasses, ClaimedLookup, Lease, ListError, LookupChange,
    LookupFilter, LookupStore, NewLookup, QueuedClass, StoreError, StoredLookup,
};

use super::names::Metric;
use super::{Metrics, names, number};

/// Store of lookups that counts its changes.
pub(crate) struct MeteredLookups {
    metrics: Arc<Metrics>,
    store: Arc<dyn LookupStore>,
}

impl MeteredLookups {
    /// Counts the changes of this store.
    pub(crate) fn new(metrics: &Arc<Metrics>, store: Arc<dyn LookupStore>) -> Self {
        Self {
            metrics: Arc::clone(metrics),
            store,
        }
    }

    fn count(&self, metric: &'static Metric, labels: &[(&'static str, &'static str)]) {
        self.metrics.counter(metric, labels).increment(1);
    }

    fn ended(&self, state: LookupState) {
        self.count(&names::LOOKUPS_ENDED, &[("state", state.name())]);
    }

    /// Counts a lost lease if `held` is false; returns `held`.
    fn held(&self, held: bool) -> bool {
        if !held {
            self.count(&names::LOOKUP_LEASES_LOST, &[]);
        }
        held
    }
}

#[async_trait]
impl LookupStore for MeteredLookups {
    async fn add_lookup(&self, lookup: &NewLookup) -> Result<(), StoreError> {
        self.store.add_lookup(lookup).await?;
        self.count(&names::LOOKUPS_CREATED, &[]);
        Ok(())
    }

    async fn lookup(
        &self,
        customer: CustomerId,
        id: LookupId,
    ) -> Result<Option<StoredLookup>, StoreError> {
        self.store.lookup(customer, id).await
    }

    async fn attempts(
        &self,
        customer: CustomerId,
        id: LookupId,
    ) -> Result<Vec<Attempt>, StoreError> {
        self.store.attempts(customer, id).await
    }

    async fn lookups(
        &self,
        customer: CustomerId,
        filter: &LookupFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredLookup>, ListError> {
        self.store.lookups(customer, filter, page).await
    }

    async fn claim_lookups(
        &self,
        most: u32,
        classes: ClaimedClasses,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedLookup>, StoreError> {
        self.store.claim_lookups(most, classes, now, lease).await
    }

    async fn queue_ahead(
        &self,
        lookup: &StoredLookup,
        now: DateTime<Utc>,
    ) -> Result<QueueAhead, StoreError> {
        self.store.queue_ahead(lookup, now).await
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.store.next_due().await
    }

    async fn renew_lease(&self, id: LookupId, lease: Lease) -> Result<bool, StoreError> {
        let renewed = self.store.renew_lease(id, lease).await;
        renewed.map(|held| self.held(held))
    }

    async fn end_claim(&self, end: &ClaimEnd) -> Result<bool, StoreError> {
        let is_stored = self.store.end_claim(end).await?;
        if !self.held(is_stored) {
            return Ok(false);
        }
        if let Some(attempt) = end.attempt {
            let labels = [("outcome", attempt.outcome.name())];
            self.count(&names::LOOKUP_ATTEMPTS, &labels);
        }
        match &end.change {
            LookupChange::Wait { .. } => {}
            LookupChange::Deliver { .. } => self.ended(LookupState::Delivered),
            LookupChange::End { state, .. } => self.ended(*state),
        }
        Ok(true)
    }

    async fn cancel_lookup(
        &self,
        customer: CustomerId,
        id: LookupId,
        now: DateTime<Utc>,
    ) -> Result<Cancellation, StoreError> {
        let canceled = self.store.cancel_lookup(customer, id, now).await;
        if let Ok(Cancellation::Canceled(_)) = canceled {
            self.ended(LookupState::Canceled);
        }
        canceled
    }

    async fn erase_lookup(&self, customer: CustomerId, id: LookupId) -> Result<bool, StoreError> {
        self.store.erase_lookup(customer, id).await
    }

    async fn cancel_orphaned(
        &self,
        most: u32,
        now: DateTime<Utc>,
    ) -> Result<Vec<StoredLookup>, StoreError> {
        let canceled = self.store.cancel_orphaned(most, now).await?;
        for _ in &canceled {
            self.ended(LookupState::Canceled);
        }
        Ok(canceled)
    }

    async fn prune_lookups(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        self.store.prune_lookups(before).await
    }

    /// Reads the queue, and records its length and age.
    async fn lookup_queue(&self, now: DateTime<Utc>) -> Result<Vec<QueuedClass>, StoreError> {
        let queue = self.store.lookup_queue(now).await?;
        for queued in &queue {
            let class = ("class", queued.class.name());
            let gauge = |metric, labels: &[_], value| self.metrics.gauge(metric, labels).set(value);
            let queued_in = |state| [class, ("state", state)];
            let length = &names::LOOKUP_QUEUE;
            gauge(length, &queued_in("due"), number(queued.due));
            gauge(length, &queued_in("waiting"), number(queued.waiting));
            let age = queued.oldest.map(|oldest| now - oldest);
            let age = age.and_then(|age| age.to_std().ok()).unwrap_or_default();
            gauge(&names::LOOKUP_QUEUE_AGE, &[class], age.as_secs_f64());
        }
        Ok(queue)
    }
}
