//! Deliveries of events, added in the transaction of what they tell of.

use domain::webhook::{EndpointId, WebhookEvent};
use ports::outbound::StoredDelivery;
use sea_orm::sea_query::{LockType, OnConflict};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::entity::{deliveries, endpoints};
use super::row::written_delivery;
use crate::list::contains;

/// Adds a delivery to each enabled endpoint of the event's customer and environment that is told such
/// events. An event that was told already changes nothing.
///
/// Endpoints are locked against removal alone, so that no row is left without one: neither claims nor other
/// events wait for it.
pub(crate) async fn enqueue(
    transaction: &DatabaseTransaction,
    event: &WebhookEvent,
) -> Result<(), DbErr> {
    let told = endpoints::Entity::find()
        .select_only()
        .column(endpoints::Column::Id)
        .filter(endpoints::Column::CustomerId.eq(event.customer.to_string()))
        .filter(endpoints::Column::Environment.eq(event.environment.name()))
        .filter(endpoints::Column::DisabledAt.is_null())
        .filter(contains(
            endpoints::Column::Events,
            &format!(",{},", event.kind.name()),
        ))
        .order_by_asc(endpoints::Column::Id)
        .lock(LockType::KeyShare)
        .into_tuple::<String>()
        .all(transaction)
        .await?;
    let rows = told.iter().filter_map(|id| {
        let endpoint = EndpointId::parse(id)?;
        Some(written_delivery(&StoredDelivery::of(endpoint, event)))
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    let known = OnConflict::column(deliveries::Column::Id)
        .do_nothing()
        .to_owned();
    deliveries::Entity::insert_many(rows)
        .on_conflict(known)
        .exec_without_returning(transaction)
        .await
        .map(drop)
}
