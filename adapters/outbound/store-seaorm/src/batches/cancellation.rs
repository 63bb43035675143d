//! Cancellation of batches with their lookups.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::batches::{BatchId, BatchState};
use domain::people::customer::CustomerId;
use ports::outbound::{BatchCancellation, CanceledLookup, LookupFacts, StoreError};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::state::{self, LockedBatch};
use crate::entity::lookups::{Column, Entity, Model};
use crate::error::failed;
use crate::lookups::cancellation::canceling;
use crate::lookups::row;
use crate::read::Read;
use crate::stored::Stored;
use crate::usage::monthly::{self, Use};

/// Cancels a customer's batch.
pub(super) async fn within(
    transaction: &DatabaseTransaction,
    customer: CustomerId,
    id: BatchId,
    now: DateTime<Utc>,
) -> Result<BatchCancellation, StoreError> {
    let Some(before) = state::own(transaction, customer, id).await? else {
        return Ok(BatchCancellation::Unknown);
    };
    if before.state.0.is_final() {
        return Ok(BatchCancellation::Final);
    }
    let after = LockedBatch {
        state: Stored(BatchState::Canceled),
        due_at: None,
        lease_token: None,
        ..before.clone()
    };
    state::store(transaction, &before, after, now).await?;
    let lookups = cancel_lookups(transaction, id, now).await?;
    let refunded = lookups.iter().filter(|lookup| lookup.refunded);
    refund(transaction, refunded.map(|lookup| &lookup.facts)).await?;
    Ok(BatchCancellation::Canceled { lookups })
}

/// Cancels the lookups of a locked batch, to which none can be added meanwhile. They are locked in
/// the order of their ids, as when lookups without a key are canceled.
async fn cancel_lookups(
    transaction: &DatabaseTransaction,
    id: BatchId,
    now: DateTime<Utc>,
) -> Result<Vec<CanceledLookup>, StoreError> {
    let mut open = Entity::find()
        .filter(Column::BatchId.eq(Stored(id)))
        .filter(Column::DueAt.is_not_null())
        .order_by_asc(Column::Id)
        .lock_exclusive()
        .rows(transaction)
        .await?;
    canceling(now)
        .filter(Column::BatchId.eq(Stored(id)))
        .filter(Column::DueAt.is_not_null())
        .exec(transaction)
        .await
        .map_err(failed)?;
    open.sort_by_key(|lookup| lookup.batch_row);
    let canceled = open.iter().map(|lookup| CanceledLookup {
        facts: row::facts(lookup),
        refunded: is_untouched(lookup),
    });
    Ok(canceled.collect())
}

/// Returns `true` if an open lookup has neither attempts nor a lease.
pub(super) fn is_untouched(lookup: &Model) -> bool {
    lookup.due_at.is_some() && lookup.attempts.0 == 0 && lookup.lease_token.is_none()
}

/// Refunds the charges of lookups to their keys and months.
pub(super) async fn refund<'a>(
    transaction: &DatabaseTransaction,
    lookups: impl Iterator<Item = &'a LookupFacts>,
) -> Result<(), StoreError> {
    let mut refunds = BTreeMap::<_, u64>::new();
    for facts in lookups {
        *refunds.entry((facts.key.id, facts.month)).or_default() += 1;
    }
    let uses = refunds
        .into_iter()
        .map(|((key, month), refunded)| Use::refund(key, month, refunded));
    monthly::add(transaction, uses.collect()).await
}
