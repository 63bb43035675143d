//! Stored lookups; their table is also their queue.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::idempotency::FirstAnswer;
use domain::lookups::{Attempt, LookupId, QueueAhead};
use domain::page::{Cursor, Page, PageRequest};
use domain::people::customer::CustomerId;
use ports::outbound::{
    Cancellation, ClaimEnd, ClaimedClasses, ClaimedLookup, Lease, ListError, LookupFilter,
    LookupStore, NewLookup, QueuedClass, StoreError, StoredLookup,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::entity::lookups;
use crate::error::failed;
use crate::idempotency::record;
use crate::prune::LOOKUPS;
use crate::queue;
use crate::read::{self, Read};
use crate::store::Store;
use crate::stored::Stored;

pub use notifications::NotificationChannel;

mod ahead;
mod attempts;
pub(crate) mod cancellation;
mod claims;
mod end;
pub(crate) mod insert;
mod length;
mod list;
mod notifications;
pub(crate) mod row;
mod turns;

#[async_trait]
impl LookupStore for Store {
    async fn add_lookup(&self, lookup: &NewLookup) -> Result<(), StoreError> {
        self.insert_lookup(lookup).await?;
        self.notifier.added();
        Ok(())
    }

    async fn lookup(
        &self,
        customer: CustomerId,
        id: LookupId,
    ) -> Result<Option<StoredLookup>, StoreError> {
        let found = row::own(customer, id).row(&self.connection);
        Ok(self.in_time(found).await?.map(row::read))
    }

    async fn lookups_of(
        &self,
        customer: CustomerId,
        ids: &[LookupId],
    ) -> Result<Vec<StoredLookup>, StoreError> {
        let found = row::these(customer, ids).rows(&self.connection);
        let found = self.in_time(found).await?;
        Ok(found.into_iter().map(row::read).collect())
    }

    async fn attempts(
        &self,
        customer: CustomerId,
        id: LookupId,
    ) -> Result<Vec<Attempt>, StoreError> {
        self.in_time(attempts::of_lookup(&self.connection, customer, id))
            .await
    }

    async fn lookups(
        &self,
        customer: CustomerId,
        filter: &LookupFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredLookup>, ListError> {
        let list = list::select(customer, filter, page)?;
        let read = |row| {
            let lookup = row::read(row);
            let cursor = Cursor::at(lookup.facts.created_at, lookup.facts.id.0);
            Ok((cursor, lookup))
        };
        let found = read::page(&self.connection, list, page, read);
        Ok(self.in_time(found).await?)
    }

    async fn claim_lookups(
        &self,
        most: u32,
        classes: ClaimedClasses,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedLookup>, StoreError> {
        let claimed = self
            .in_time(self.claim_due(most, classes, now, lease))
            .await?;
        self.notifier
            .changed(claimed.iter().map(|claimed| claimed.lookup.facts.id));
        Ok(claimed)
    }

    async fn queue_ahead(
        &self,
        lookup: &StoredLookup,
        now: DateTime<Utc>,
    ) -> Result<QueueAhead, StoreError> {
        self.in_time(ahead::of(&self.connection, lookup, now)).await
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.in_time(length::next_due(&self.connection)).await
    }

    async fn renew_lease(&self, id: LookupId, lease: Lease) -> Result<bool, StoreError> {
        let renewal = queue::renewal::<lookups::Entity>(id, lease);
        let renewed = self.write(renewal.exec(&self.connection)).await?;
        Ok(renewed.rows_affected > 0)
    }

    async fn end_claim(&self, end: &ClaimEnd) -> Result<bool, StoreError> {
        let store = self.clone();
        let ended = self.claim_ends.submit(end.clone(), move |ends| {
            let store = store.clone();
            async move { store.end_claims(&ends).await }
        });
        let ended = ended.await?;
        if ended {
            self.notifier.changed([end.id]);
        }
        Ok(ended)
    }

    async fn cancel_lookup(
        &self,
        customer: CustomerId,
        id: LookupId,
        now: DateTime<Utc>,
    ) -> Result<Cancellation, StoreError> {
        let canceled = self
            .within(async |transaction| cancellation::of_one(transaction, customer, id, now).await)
            .await?;
        if let Cancellation::Canceled(_) = canceled {
            self.notifier.changed([id]);
        }
        Ok(canceled)
    }

    async fn erase_lookup(&self, customer: CustomerId, id: LookupId) -> Result<bool, StoreError> {
        let removal = lookups::Entity::delete_many()
            .filter(lookups::Column::Id.eq(Stored(id)))
            .filter(lookups::Column::CustomerId.eq(Stored(customer)))
            .filter(lookups::Column::DueAt.is_null());
        let removed = self.write(removal.exec(&self.connection)).await?;
        Ok(removed.rows_affected > 0)
    }

    async fn cancel_orphaned(
        &self,
        most: u32,
        now: DateTime<Utc>,
    ) -> Result<Vec<StoredLookup>, StoreError> {
        let canceled = self.in_time(self.cancel_without_keys(most, now)).await?;
        self.notifier
            .changed(canceled.iter().map(|lookup| lookup.facts.id));
        Ok(canceled)
    }

    async fn prune_lookups(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        self.check_files()?;
        self.prune_table(&LOOKUPS, before).await
    }

    async fn lookup_queue(&self, now: DateTime<Utc>) -> Result<Vec<QueuedClass>, StoreError> {
        self.in_time(length::measure(&self.connection, now)).await
    }
}

impl Store {
    async fn insert_lookup(&self, lookup: &NewLookup) -> Result<(), StoreError> {
        let insert = lookups::Entity::insert(row::queued(&lookup.facts, &lookup.question));
        let Some(claim) = lookup.claim else {
            let inserted = insert.exec_without_returning(&self.connection);
            return self.write(inserted).await.map(drop);
        };
        self.within(async |transaction| {
            let inserted = insert.exec_without_returning(transaction).await;
            inserted.map_err(failed)?;
            record(transaction, claim, FirstAnswer::Lookup(lookup.facts.id)).await
        })
        .await
    }

    /// Ends several claims in one transaction; returns for each if its lease was held.
    async fn end_claims(&self, ends: &[ClaimEnd]) -> Result<Vec<bool>, StoreError> {
        self.within(async |transaction| {
            let mut ended = Vec::with_capacity(ends.len());
            for end in ends {
                ended.push(end::within(transaction, end).await?);
            }
            Ok(ended)
        })
        .await
    }
}
