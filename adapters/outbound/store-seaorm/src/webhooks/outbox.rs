//! Deliveries of events, added in the transaction of the change that they report.

use std::slice;

use domain::webhooks::{EndpointId, WebhookEvent};
use ports::outbound::{StoreError, StoredDelivery};
use sea_orm::sea_query::{LockType, OnConflict};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::row::written_delivery;
use crate::entity::{deliveries, endpoints};
use crate::error::failed;
use crate::read::{First, Read, contains};
use crate::stored::Stored;

/// Deliveries of one statement, which binds some twenty values for each; SQLite takes 32,766.
const DELIVERIES_PER_STATEMENT: usize = 500;

/// Adds a delivery for each enabled webhook target of the event's customer and environment that
/// subscribes to such events. A repeated event changes nothing.
pub(crate) async fn enqueue(
    transaction: &DatabaseTransaction,
    event: &WebhookEvent,
) -> Result<(), StoreError> {
    enqueue_all(transaction, slice::from_ref(event)).await
}

/// Adds deliveries as [`enqueue`] does, for events of one customer, environment and type.
pub(crate) async fn enqueue_all(
    transaction: &DatabaseTransaction,
    events: &[WebhookEvent],
) -> Result<(), StoreError> {
    let Some(first) = events.first() else {
        return Ok(());
    };
    let told = told(transaction, first).await?;
    let rows = events.iter().flat_map(|event| {
        let delivery = |endpoint| written_delivery(&StoredDelivery::of(endpoint, event));
        told.iter().map(|First(id)| id.0).map(delivery)
    });
    let rows: Vec<_> = rows.collect();
    let known = OnConflict::column(deliveries::Column::Id)
        .do_nothing()
        .to_owned();
    for some in rows.chunks(DELIVERIES_PER_STATEMENT) {
        deliveries::Entity::insert_many(some.iter().cloned())
            .on_conflict(known.clone())
            .exec_without_returning(transaction)
            .await
            .map_err(failed)?;
    }
    Ok(())
}

/// Webhook targets that subscribe to an event. They are locked against removal alone, so that no
/// delivery is left without its target: neither claims nor other events wait for them.
async fn told(
    transaction: &DatabaseTransaction,
    event: &WebhookEvent,
) -> Result<Vec<First<Stored<EndpointId>>>, StoreError> {
    endpoints::Entity::find()
        .select_only()
        .column(endpoints::Column::Id)
        .filter(endpoints::Column::CustomerId.eq(Stored(event.customer)))
        .filter(endpoints::Column::Environment.eq(Stored(event.environment)))
        .filter(endpoints::Column::DisabledAt.is_null())
        .filter(contains(
            endpoints::Column::Events,
            &format!(",{},", event.kind.name()),
        ))
        .order_by_asc(endpoints::Column::Id)
        .lock(LockType::KeyShare)
        .rows_as(transaction)
        .await
}
