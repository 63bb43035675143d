//! Claims of due deliveries. Webhook targets take turns.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::people::customer::CustomerId;
use domain::webhooks::{EndpointHealth, EndpointId, free_places};
use ports::outbound::{ClaimedDelivery, Lease, StoreError};
use sea_orm::sea_query::{Expr, LockBehavior, LockType};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, FromQueryResult, QueryFilter,
    QuerySelect,
};

use super::row;
use crate::entity::{deliveries, endpoints};
use crate::error::failed;
use crate::queue;
use crate::read::{First, Read, query, sql};
use crate::store::Store;
use crate::stored::Stored;

/// Maximum number of webhook targets that one claim examines.
const MOST_ENDPOINTS: u32 = 1_000;

/// Reads the webhook targets with due deliveries, in the order of their turns.
const ENDPOINTS: &str = concat!(
    queue::owners!("webhook_deliveries", "endpoint_id"),
    "SELECT open.endpoint_id FROM open \
     JOIN webhook_endpoints ON webhook_endpoints.id = open.endpoint_id \
     WHERE (SELECT MIN(due_at) FROM webhook_deliveries \
         WHERE due_at IS NOT NULL AND endpoint_id = open.endpoint_id) <= $1 \
     ORDER BY served_at, open.endpoint_id LIMIT $2"
);

/// Counts the deliveries in progress.
const UNDER_WAY: &str = "SELECT customer_id, endpoint_id, COUNT(*) AS deliveries \
    FROM webhook_deliveries WHERE lease_token IS NOT NULL AND due_at > $1 \
    GROUP BY customer_id, endpoint_id";

#[derive(FromQueryResult)]
struct CountRow {
    customer_id: Stored<CustomerId>,
    endpoint_id: Stored<EndpointId>,
    deliveries: Stored<u32>,
}

/// Numbers of deliveries in progress.
#[derive(Default)]
struct UnderWay {
    of_customers: HashMap<CustomerId, usize>,
    of_endpoints: HashMap<EndpointId, usize>,
}

impl UnderWay {
    fn add(&mut self, customer: CustomerId, endpoint: EndpointId, deliveries: usize) {
        *self.of_customers.entry(customer).or_default() += deliveries;
        *self.of_endpoints.entry(endpoint).or_default() += deliveries;
    }

    fn free(&self, endpoint: &endpoints::Model) -> usize {
        let health = match endpoint.failing_since {
            Some(_) => EndpointHealth::Failing,
            None => EndpointHealth::Answering,
        };
        let of_endpoint = self.of_endpoints.get(&endpoint.id.0).copied();
        let of_customer = self.of_customers.get(&endpoint.customer_id.0).copied();
        free_places(
            health,
            of_endpoint.unwrap_or_default(),
            of_customer.unwrap_or_default(),
        )
    }
}

impl Store {
    /// Claims up to `most` deliveries. First checks, without the write lock, that any are due.
    pub(super) async fn claim_due_deliveries(
        &self,
        most: u32,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        if turns(&self.connection, now, 1).await?.is_empty() {
            return Ok(Vec::new());
        }
        self.within(async |transaction| claim(transaction, most, now, lease).await)
            .await
    }
}

async fn claim(
    transaction: &DatabaseTransaction,
    most: u32,
    now: DateTime<Utc>,
    lease: Lease,
) -> Result<Vec<ClaimedDelivery>, StoreError> {
    let turns = turns(transaction, now, MOST_ENDPOINTS).await?;
    let endpoints = locked(transaction, &turns).await?;
    let mut under_way = under_way(transaction, now).await?;
    let mut left = usize::try_from(most).unwrap_or(usize::MAX);
    let (mut claimed, mut ids, mut served) = (Vec::new(), Vec::new(), Vec::new());
    for endpoint in endpoints {
        let free = under_way.free(&endpoint).min(left);
        if free == 0 {
            continue;
        }
        let due = queue::due::<deliveries::Entity>(now)
            .filter(deliveries::Column::EndpointId.eq(endpoint.id));
        let due = queue::take(transaction, due, free).await?;
        left -= due.len();
        under_way.add(endpoint.customer_id.0, endpoint.id.0, due.len());
        served.push(endpoint.id);
        let to = row::endpoint(endpoint);
        for delivery in due {
            ids.push(delivery.id);
            claimed.push(ClaimedDelivery {
                delivery: row::delivery(deliveries::Model {
                    due_at: Some(Stored(lease.until)),
                    ..delivery
                })?,
                endpoint: to.clone(),
            });
        }
        if left == 0 {
            break;
        }
    }
    queue::hold(transaction, deliveries::Entity::update_many(), ids, lease).await?;
    serve(transaction, served, now).await?;
    Ok(claimed)
}

/// Ids of up to `most` webhook targets with due deliveries, in the order of their turns.
async fn turns(
    connection: &impl ConnectionTrait,
    now: DateTime<Utc>,
    most: u32,
) -> Result<Vec<Stored<EndpointId>>, StoreError> {
    let turns = sql(
        connection,
        ENDPOINTS,
        [Stored(now).into(), Stored(most).into()],
    );
    let rows = query::<First<Stored<EndpointId>>>(connection, "webhook_deliveries", turns).await?;
    Ok(rows.into_iter().map(|First(id)| id).collect())
}

/// These webhook targets in the same order, locked on PostgreSQL so that two claims together don't
/// exceed a target's limit. Targets that others have locked are left out.
async fn locked(
    transaction: &DatabaseTransaction,
    turns: &[Stored<EndpointId>],
) -> Result<Vec<endpoints::Model>, StoreError> {
    let mut rows = endpoints::Entity::find()
        .filter(endpoints::Column::Id.is_in(turns.iter().copied()))
        .lock_with_behavior(LockType::NoKeyUpdate, LockBehavior::SkipLocked)
        .rows(transaction)
        .await?;
    let places: HashMap<_, _> = turns.iter().zip(0_usize..).collect();
    rows.sort_by_key(|endpoint| places.get(&endpoint.id).copied());
    Ok(rows)
}

async fn under_way(
    transaction: &DatabaseTransaction,
    now: DateTime<Utc>,
) -> Result<UnderWay, StoreError> {
    let counted = sql(transaction, UNDER_WAY, [Stored(now).into()]);
    let rows = query::<CountRow>(transaction, "webhook_deliveries", counted).await?;
    let mut under_way = UnderWay::default();
    for row in rows {
        let deliveries = row.deliveries.0 as usize;
        under_way.add(row.customer_id.0, row.endpoint_id.0, deliveries);
    }
    Ok(under_way)
}

/// Moves webhook targets to the end of the order of turns.
async fn serve(
    transaction: &DatabaseTransaction,
    served: Vec<Stored<EndpointId>>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    use endpoints::{Column, Entity};
    if served.is_empty() {
        return Ok(());
    }
    let moved = Entity::update_many()
        .col_expr(Column::ServedAt, Expr::value(Stored(now)))
        .filter(Column::Id.is_in(served))
        .exec(transaction);
    moved.await.map(drop).map_err(failed)
}
