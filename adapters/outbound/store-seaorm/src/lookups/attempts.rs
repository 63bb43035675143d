//! Attempts of lookups.

use std::collections::HashMap;

use domain::lookups::{Attempt, LookupId};
use domain::people::customer::CustomerId;
use ports::outbound::StoreError;
use sea_orm::sea_query::Query;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, Set};

use crate::entity::lookup_attempts::{ActiveModel, Column, Entity, Model};
use crate::entity::lookups;
use crate::read::Read;
use crate::stored::Stored;

/// The row of a lookup's `number`th attempt.
pub(super) fn written(id: LookupId, number: u32, attempt: Attempt) -> ActiveModel {
    ActiveModel {
        lookup_id: Set(Stored(id)),
        number: Set(Stored(number)),
        at: Set(Stored(attempt.at)),
        outcome: Set(Stored(attempt.outcome)),
    }
}

/// Attempts of a customer's lookup, oldest first.
pub(super) async fn of_lookup(
    connection: &impl ConnectionTrait,
    customer: CustomerId,
    id: LookupId,
) -> Result<Vec<Attempt>, StoreError> {
    let own = Query::select()
        .column(lookups::Column::Id)
        .from(lookups::Entity)
        .and_where(lookups::Column::Id.eq(Stored(id)))
        .and_where(lookups::Column::CustomerId.eq(Stored(customer)))
        .take();
    let attempts = Entity::find()
        .filter(Column::LookupId.in_subquery(own))
        .order_by_asc(Column::Number)
        .rows(connection);
    Ok(attempts.await?.iter().map(read).collect())
}

/// Attempts of these lookups, each one's oldest first.
pub(super) async fn of_lookups(
    connection: &impl ConnectionTrait,
    ids: impl Iterator<Item = LookupId>,
) -> Result<HashMap<LookupId, Vec<Attempt>>, StoreError> {
    let ids: Vec<_> = ids.map(Stored).collect();
    let mut attempts = HashMap::<_, Vec<_>>::new();
    if ids.is_empty() {
        return Ok(attempts);
    }
    let rows = Entity::find()
        .filter(Column::LookupId.is_in(ids))
        .order_by_asc(Column::LookupId)
        .order_by_asc(Column::Number)
        .rows(connection);
    for row in rows.await? {
        let of = attempts.entry(row.lookup_id.0).or_default();
        of.push(read(&row));
    }
    Ok(attempts)
}

fn read(attempt: &Model) -> Attempt {
    Attempt {
        at: attempt.at.0,
        outcome: attempt.outcome.0,
    }
}
