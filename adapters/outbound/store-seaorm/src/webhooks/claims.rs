//! Claims of due deliveries.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::webhooks::{EndpointHealth, free_places};
use ports::outbound::{ClaimedDelivery, Lease, StoreError};
use sea_orm::sea_query::{Expr, LockBehavior, LockType};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, FromQueryResult,
    QueryFilter, QueryOrder, QuerySelect, Statement,
};

use super::entity::{deliveries, endpoints};
use super::row;
use crate::store::{Store, failed};

/// Maximum number of webhook targets that one claim examines.
const MOST_ENDPOINTS: i64 = 1_000;

/// Reads the webhook targets with due deliveries, in the order of their turns. Steps through the
/// index from one target to the next, without reading their deliveries.
const ENDPOINTS: &str = "WITH RECURSIVE open (endpoint_id) AS (\
    SELECT MIN(endpoint_id) FROM webhook_deliveries WHERE due_at IS NOT NULL \
    UNION ALL \
    SELECT (SELECT MIN(endpoint_id) FROM webhook_deliveries \
        WHERE due_at IS NOT NULL AND endpoint_id > open.endpoint_id) \
    FROM open WHERE open.endpoint_id IS NOT NULL) \
    SELECT open.endpoint_id FROM open \
    JOIN webhook_endpoints ON webhook_endpoints.id = open.endpoint_id \
    WHERE (SELECT MIN(due_at) FROM webhook_deliveries \
        WHERE due_at IS NOT NULL AND endpoint_id = open.endpoint_id) <= $1 \
    ORDER BY served_at, open.endpoint_id LIMIT $2";

/// Counts the deliveries in progress.
const UNDER_WAY: &str = "SELECT customer_id, endpoint_id, COUNT(*) AS deliveries \
    FROM webhook_deliveries WHERE lease_token IS NOT NULL AND due_at > $1 \
    GROUP BY customer_id, endpoint_id";

#[derive(FromQueryResult)]
struct CountRow {
    customer_id: String,
    endpoint_id: String,
    deliveries: i64,
}

/// Numbers of deliveries in progress.
#[derive(Default)]
struct UnderWay {
    of_customers: HashMap<String, usize>,
    of_endpoints: HashMap<String, usize>,
}

impl UnderWay {
    fn add(&mut self, customer: &str, endpoint: &str, deliveries: usize) {
        *self.of_customers.entry(customer.to_owned()).or_default() += deliveries;
        *self.of_endpoints.entry(endpoint.to_owned()).or_default() += deliveries;
    }

    fn free(&self, endpoint: &endpoints::Model) -> usize {
        let health = match endpoint.failing_since {
            Some(_) => EndpointHealth::Failing,
            None => EndpointHealth::Answering,
        };
        let count = |counts: &HashMap<String, usize>, id| counts.get(id).copied();
        let of_endpoint = count(&self.of_endpoints, &endpoint.id).unwrap_or_default();
        let of_customer = count(&self.of_customers, &endpoint.customer_id).unwrap_or_default();
        free_places(health, of_endpoint, of_customer)
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
        if turns(&self.connection, now, 1)
            .await
            .map_err(failed)?
            .is_empty()
        {
            return Ok(Vec::new());
        }
        let transaction = self.begin().await?;
        let claimed = claim(&transaction, most, now, lease).await;
        self.end(transaction, claimed).await
    }
}

async fn claim(
    transaction: &DatabaseTransaction,
    most: u32,
    now: DateTime<Utc>,
    lease: Lease,
) -> Result<Vec<ClaimedDelivery>, StoreError> {
    let turns = turns(transaction, now, MOST_ENDPOINTS).await;
    let endpoints = locked(transaction, &turns.map_err(failed)?).await;
    let endpoints = endpoints.map_err(failed)?;
    let mut under_way = under_way(transaction, now).await.map_err(failed)?;
    let mut left = usize::try_from(most).unwrap_or(usize::MAX);
    let mut claimed = Vec::new();
    let mut served = Vec::new();
    for endpoint in endpoints {
        let free = under_way.free(&endpoint).min(left);
        if free == 0 {
            continue;
        }
        let due = due(transaction, &endpoint, now, free).await;
        let due = due.map_err(failed)?;
        left -= due.len();
        under_way.add(&endpoint.customer_id, &endpoint.id, due.len());
        let to = row::endpoint(&endpoint)?;
        for delivery in due {
            claimed.push(ClaimedDelivery {
                delivery: row::delivery(deliveries::Model {
                    due_at: Some(lease.until.timestamp_millis()),
                    ..delivery
                })?,
                endpoint: to.clone(),
            });
        }
        served.push(endpoint.id);
        if left == 0 {
            break;
        }
    }
    hold(transaction, &claimed, lease).await.map_err(failed)?;
    serve(transaction, served, now).await.map_err(failed)?;
    Ok(claimed)
}

/// Ids of up to `most` webhook targets with due deliveries, in the order of their turns.
async fn turns(
    connection: &impl ConnectionTrait,
    now: DateTime<Utc>,
    most: i64,
) -> Result<Vec<String>, DbErr> {
    let values = [now.timestamp_millis().into(), most.into()];
    let backend = connection.get_database_backend();
    let query = Statement::from_sql_and_values(backend, ENDPOINTS, values);
    let rows = connection.query_all_raw(query).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}

/// These webhook targets in the same order, locked on PostgreSQL so that two claims together don't
/// exceed a target's limit. Targets that others have locked are left out.
async fn locked(
    transaction: &DatabaseTransaction,
    turns: &[String],
) -> Result<Vec<endpoints::Model>, DbErr> {
    let mut rows = endpoints::Entity::find()
        .filter(endpoints::Column::Id.is_in(turns))
        .lock_with_behavior(LockType::NoKeyUpdate, LockBehavior::SkipLocked)
        .all(transaction)
        .await?;
    let places: HashMap<_, _> = turns.iter().zip(0_usize..).collect();
    rows.sort_by_key(|endpoint| places.get(&endpoint.id).copied());
    Ok(rows)
}

async fn under_way(
    transaction: &DatabaseTransaction,
    now: DateTime<Utc>,
) -> Result<UnderWay, DbErr> {
    let values = [now.timestamp_millis().into()];
    let backend = transaction.get_database_backend();
    let query = Statement::from_sql_and_values(backend, UNDER_WAY, values);
    let rows = CountRow::find_by_statement(query).all(transaction).await?;
    let mut under_way = UnderWay::default();
    for row in rows {
        let deliveries = usize::try_from(row.deliveries).unwrap_or_default();
        under_way.add(&row.customer_id, &row.endpoint_id, deliveries);
    }
    Ok(under_way)
}

/// Up to `most` due deliveries to a webhook target.
async fn due(
    transaction: &DatabaseTransaction,
    endpoint: &endpoints::Model,
    now: DateTime<Utc>,
    most: usize,
) -> Result<Vec<deliveries::Model>, DbErr> {
    use deliveries::{Column, Entity};
    Entity::find()
        .filter(Column::EndpointId.eq(&endpoint.id))
        .filter(Column::DueAt.lte(now.timestamp_millis()))
        .order_by_asc(Column::DueAt)
        .order_by_asc(Column::Id)
        .limit(most as u64)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .all(transaction)
        .await
}

/// Sets the lease of deliveries.
async fn hold(
    transaction: &DatabaseTransaction,
    claimed: &[ClaimedDelivery],
    lease: Lease,
) -> Result<(), DbErr> {
    use deliveries::{Column, Entity};
    if claimed.is_empty() {
        return Ok(());
    }
    let ids = claimed
        .iter()
        .map(|claimed| claimed.delivery.id.to_string());
    Entity::update_many()
        .col_expr(Column::DueAt, Expr::value(lease.until.timestamp_millis()))
        .col_expr(Column::LeaseToken, Expr::value(lease.token.to_string()))
        .filter(Column::Id.is_in(ids))
        .exec(transaction)
        .await
        .map(drop)
}

/// Moves webhook targets to the end of the order of turns.
async fn serve(
    transaction: &DatabaseTransaction,
    served: Vec<String>,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    use endpoints::{Column, Entity};
    if served.is_empty() {
        return Ok(());
    }
    Entity::update_many()
        .col_expr(Column::ServedAt, Expr::value(now.timestamp_millis()))
        .filter(Column::Id.is_in(served))
        .exec(transaction)
        .await
        .map(drop)
}
