//! Attempts of lookups.

use std::collections::HashMap;

use domain::lookups::{Attempt, LookupId};
use domain::outcome::Outcome;
use domain::people::customer::CustomerId;
use ports::outbound::StoreError;
use sea_orm::sea_query::Query;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, Set};

use crate::entity::{lookup_attempts, lookups};
use crate::row::Row;
use crate::store::failed;

use lookup_attempts::{Column, Entity, Model};

/// The row of a lookup's `number`th attempt.
pub(super) fn written(id: LookupId, number: i64, attempt: Attempt) -> lookup_attempts::ActiveModel {
    lookup_attempts::ActiveModel {
        lookup_id: Set(id.to_string()),
        number: Set(number),
        at: Set(attempt.at.timestamp_millis()),
        outcome: Set(attempt.outcome.name().to_owned()),
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
        .and_where(lookups::Column::Id.eq(id.to_string()))
        .and_where(lookups::Column::CustomerId.eq(customer.to_string()))
        .take();
    let rows = Entity::find()
        .filter(Column::LookupId.in_subquery(own))
        .order_by_asc(Column::Number)
        .all(connection)
        .await;
    rows.map_err(failed)?.iter().map(read).collect()
}

/// Attempts of these lookups, each one's oldest first, by the lookups' ids.
pub(super) async fn of_lookups(
    connection: &impl ConnectionTrait,
    ids: &[&str],
) -> Result<HashMap<String, Vec<Attempt>>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = Entity::find()
        .filter(Column::LookupId.is_in(ids.iter().copied()))
        .order_by_asc(Column::LookupId)
        .order_by_asc(Column::Number)
        .all(connection)
        .await
        .map_err(failed)?;
    let mut attempts = HashMap::<_, Vec<_>>::new();
    for row in rows {
        let attempt = read(&row)?;
        attempts.entry(row.lookup_id).or_default().push(attempt);
    }
    Ok(attempts)
}

fn read(attempt: &Model) -> Result<Attempt, StoreError> {
    let row = Row {
        table: "lookup_attempts",
        id: &attempt.lookup_id,
    };
    let outcome = Outcome::from_name(&attempt.outcome);
    Ok(Attempt {
        at: row.instant(attempt.at, "at")?,
        outcome: outcome.ok_or_else(|| row.unreadable("outcome"))?,
    })
}
