//! Lists of a customer's batches, and of the lookups of one.

use domain::batches::{BatchId, BatchState, RowNumber};
use domain::page::{CursorError, PageRequest};
use domain::people::customer::CustomerId;
use ports::outbound::{BatchFilter, StoreError, StoredLookup};
use sea_orm::{
    ColumnTrait, DatabaseConnection, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};

use crate::entity::batches::{Column, Entity};
use crate::entity::lookups;
use crate::list::{limit_with_lookahead, older_than_cursor};
use crate::lookups::row;
use crate::store::failed;

/// One page of a customer's batches, newest first, and one more.
pub(super) fn select(
    customer: CustomerId,
    filter: &BatchFilter,
    page: &PageRequest,
) -> Result<Select<Entity>, CursorError> {
    let mut found = Entity::find().filter(Column::CustomerId.eq(customer.to_string()));
    if let Some(environment) = filter.environment {
        found = found.filter(Column::Environment.eq(environment.name()));
    }
    if !filter.states.is_empty() {
        let states = filter.states.iter().copied().map(BatchState::name);
        found = found.filter(Column::State.is_in(states));
    }
    if let Some(counters) = filter.counters {
        found = found.filter(Column::CountersId.eq(counters.to_string()));
    }
    if let Some(older) = older_than_cursor((Column::CreatedAt, Column::Id), page)? {
        found = found.filter(older);
    }
    Ok(found
        .order_by_desc(Column::CreatedAt)
        .order_by_desc(Column::Id)
        .limit(limit_with_lookahead(page)))
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
        .filter(Column::BatchId.eq(id.to_string()))
        .filter(Column::BatchRow.gte(first))
        .filter(Column::BatchRow.lt(first + i64::from(rows)))
        .order_by_asc(Column::BatchRow)
        .all(connection)
        .await
        .map_err(failed)?;
    found.into_iter().map(row::read).collect()
}
