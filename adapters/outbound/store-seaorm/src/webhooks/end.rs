//! Ends of delivery attempts.

use chrono::{DateTime, Utc};
use domain::webhooks::{
    DeliveryId, DeliveryState, DisabledReason, EndpointState, GIVE_UP_AFTER, NextDelivery,
};
use ports::outbound::{DeliveryEnd, StoreError};
use sea_orm::sea_query::{Expr, ExprTrait, LockType};
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use super::endpoints::{disable, discard_pending};
use super::entity::{deliveries, endpoints};
use super::row;
use crate::row::stored;
use crate::store::failed;

use deliveries::{Column, Entity};

/// Ends a claim; `None` if the lease isn't held any more. The webhook target is locked first, as by
/// all its changes.
pub(super) async fn within(
    transaction: &DatabaseTransaction,
    end: &DeliveryEnd,
) -> Result<Option<EndpointState>, StoreError> {
    let endpoint = endpoints::Entity::find_by_id(end.endpoint.to_string())
        .lock(LockType::NoKeyUpdate)
        .one(transaction)
        .await
        .map_err(failed)?;
    let Some(endpoint) = endpoint else {
        return Ok(None);
    };
    if !record(transaction, end).await.map_err(failed)? {
        return Ok(None);
    }
    let at = end.attempt.at;
    let since = endpoint.failing_since;
    let result = end.attempt.result;
    let failing_since = if result.is_success() {
        None
    } else if result.counts() {
        Some(since.unwrap_or_else(|| at.timestamp_millis()))
    } else {
        since
    };
    if failing_since != since {
        let noted = note_health(transaction, &endpoint.id, failing_since).await;
        noted.map_err(failed)?;
    }
    let state = row::state(&endpoint)?;
    let too_long = (at - GIVE_UP_AFTER).timestamp_millis();
    let reason = match end.next {
        NextDelivery::Disable => DisabledReason::Gone,
        _ if failing_since.is_some_and(|since| since <= too_long) => DisabledReason::Failing,
        _ => return Ok(Some(state)),
    };
    if !state.is_enabled() {
        return Ok(Some(state));
    }
    let disabled = EndpointState::Disabled { reason, at };
    let done = async {
        disable(transaction, end.endpoint, disabled).await?;
        discard_pending(transaction, end.endpoint, at).await
    };
    done.await.map_err(failed)?;
    Ok(Some(disabled))
}

/// Records the attempt, if the lease is held.
async fn record(transaction: &DatabaseTransaction, end: &DeliveryEnd) -> Result<bool, DbErr> {
    let attempt = &end.attempt;
    let result = attempt.result;
    let (state, due_at) = match end.next {
        NextDelivery::Again { at } => (DeliveryState::Pending, Some(at.timestamp_millis())),
        NextDelivery::Delivered => (DeliveryState::Delivered, None),
        NextDelivery::GiveUp | NextDelivery::Disable => (DeliveryState::Failed, None),
    };
    let ended_at = due_at.is_none().then(|| attempt.at.timestamp_millis());
    let millis = u64::try_from(attempt.duration.as_millis()).unwrap_or(u64::MAX);
    let more = |column, by: i64| Expr::col(column).add(by);
    let recorded = Entity::update_many()
        .col_expr(Column::State, Expr::value(state.name()))
        .col_expr(Column::DueAt, Expr::value(due_at))
        .col_expr(Column::LeaseToken, Expr::value(None::<String>))
        .col_expr(Column::Attempts, more(Column::Attempts, 1))
        .col_expr(Column::Step, more(Column::Step, i64::from(result.counts())))
        .col_expr(Column::LastAt, Expr::value(attempt.at.timestamp_millis()))
        .col_expr(Column::LastDuration, Expr::value(stored(millis)))
        .col_expr(
            Column::LastStatus,
            Expr::value(result.status().map(i64::from)),
        )
        .col_expr(
            Column::LastFailure,
            Expr::value(result.failure().map(|failure| failure.name().to_owned())),
        )
        .col_expr(Column::LastAnswer, Expr::value(attempt.answer.as_str()))
        .col_expr(Column::EndedAt, Expr::value(ended_at))
        .filter(Column::Id.eq(end.id.to_string()))
        .filter(Column::LeaseToken.eq(end.token.to_string()))
        .exec(transaction)
        .await?;
    Ok(recorded.rows_affected > 0)
}

async fn note_health(
    transaction: &DatabaseTransaction,
    endpoint: &str,
    failing_since: Option<i64>,
) -> Result<(), DbErr> {
    endpoints::Entity::update_many()
        .col_expr(endpoints::Column::FailingSince, Expr::value(failing_since))
        .filter(endpoints::Column::Id.eq(endpoint))
        .exec(transaction)
        .await
        .map(drop)
}

/// The statement that discards a claimed delivery.
pub(super) fn discarding(
    id: DeliveryId,
    token: Uuid,
    now: DateTime<Utc>,
) -> sea_orm::UpdateMany<Entity> {
    Entity::update_many()
        .col_expr(Column::State, Expr::value(DeliveryState::Discarded.name()))
        .col_expr(Column::DueAt, Expr::value(None::<i64>))
        .col_expr(Column::LeaseToken, Expr::value(None::<String>))
        .col_expr(Column::EndedAt, Expr::value(now.timestamp_millis()))
        .filter(Column::Id.eq(id.to_string()))
        .filter(Column::LeaseToken.eq(token.to_string()))
}
