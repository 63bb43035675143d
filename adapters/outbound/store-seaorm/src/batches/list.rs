//! Lists of a customer's batches, and of the lookups of one.

use domain::batches::{BatchId, RowNumber};
use domain::page::{CursorError, PageRequest};
use domain::people::customer::CustomerId;
use ports::outbound::{BatchFilter, StoreError, StoredLookup};
use sea_orm::{ColumnTrait, DatabaseConnection, EntityTrait, QueryFilter, QueryOrder, Select};

use crate::entity::batches::{Column, Entity};
use crate::entity::lookups;
use crate::lookups::row;
use crate::read::{Read, newest_first};
use crate::stored::Stored;

/// One page of a customer's batches, newest first, and one more.
pub(super) fn select(
    customer: CustomerId,
    filter: &BatchFilter,
    page: &PageRequest,
) -> Result<Select<Entity>, CursorError> {
    let mut found = Entity::find().filter(Column::CustomerId.eq(Stored(customer)));
    if let Some(environment) = filter.environment {
        found = found.filter(Column::Environment.eq(Stored(environment)));
    }
    if !filter.states.is_empty() {
        let states = filter.states.iter().copied().map(Stored);
        found = found.filter(Column::State.is_in(states));
    }
    if let Some(counters) = filter.counters {
        found = found.filter(Column::CountersId.eq(Stored(counters)));
    }
    newest_first(found, (Column::CreatedAt, Column::Id), page)
}

/// Lookups of some rows of a batch, in row order.
pub(super) async fn lookups(
    connection: &DatabaseConnection,
    id: BatchId,
    first: RowNumber,
    rows: u32,
) -> Result<Vec<StoredLookup>, StoreError> {
    use lookups::Column;
    let first = i64::from(first.0);
    let found = lookups::Entity::find()
        .filter(Column::BatchId.eq(Stored(id)))
        .filter(Column::BatchRow.gte(first))
        .filter(Column::BatchRow.lt(first + i64::from(rows)))
        .order_by_asc(Column::BatchRow)
        .rows(connection);
    Ok(found.await?.into_iter().map(row::read).collect())
}
