//! Ends of delivery attempts.

use chrono::{DateTime, Utc};
use domain::webhooks::{
    DeliveryId, DeliveryState, DisabledReason, EndpointId, EndpointState, GIVE_UP_AFTER,
    NextDelivery,
};
use ports::outbound::{DeliveryEnd, StoreError};
use sea_orm::sea_query::{Expr, ExprTrait, LockType};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use super::endpoints::{disable, discard_pending};
use super::row;
use crate::entity::{deliveries, endpoints};
use crate::error::failed;
use crate::queue;
use crate::read::Read;
use crate::stored::{Stored, Time};

use deliveries::{Column, Entity};

/// Ends a claim; `None` if the lease isn't held any more. The webhook target is locked first, as by
/// all its changes.
pub(super) async fn within(
    transaction: &DatabaseTransaction,
    end: &DeliveryEnd,
) -> Result<Option<EndpointState>, StoreError> {
    let endpoint = endpoints::Entity::find_by_id(Stored(end.endpoint))
        .lock(LockType::NoKeyUpdate)
        .row(transaction);
    let Some(endpoint) = endpoint.await? else {
        return Ok(None);
    };
    if !record(transaction, end).await? {
        return Ok(None);
    }
    let at = end.attempt.at;
    let since = endpoint.failing_since;
    let result = end.attempt.result;
    let failing_since = if result.is_success() {
        None
    } else if result.counts() {
        Some(since.unwrap_or(Stored(at)))
    } else {
        since
    };
    if failing_since != since {
        note_health(transaction, end.endpoint, failing_since).await?;
    }
    let state = row::state(&endpoint);
    let too_long = Stored(at - GIVE_UP_AFTER);
    let reason = match end.next {
        NextDelivery::Disable => DisabledReason::Gone,
        _ if failing_since.is_some_and(|since| since <= too_long) => DisabledReason::Failing,
        _ => return Ok(Some(state)),
    };
    if !state.is_enabled() {
        return Ok(Some(state));
    }
    let disabled = EndpointState::Disabled { reason, at };
    disable(transaction, end.endpoint, disabled).await?;
    discard_pending(transaction, end.endpoint, at).await?;
    Ok(Some(disabled))
}

/// Records the attempt, if the lease is held.
async fn record(transaction: &DatabaseTransaction, end: &DeliveryEnd) -> Result<bool, StoreError> {
    let attempt = &end.attempt;
    let result = attempt.result;
    let more = |column, by: i64| Expr::col(column).add(by);
    let update = Entity::update_many()
        .col_expr(Column::Attempts, more(Column::Attempts, 1))
        .col_expr(Column::Step, more(Column::Step, i64::from(result.counts())))
        .col_expr(Column::LastAt, Expr::value(Stored(attempt.at)))
        .col_expr(Column::LastDuration, Expr::value(Stored(attempt.duration)))
        .col_expr(Column::LastStatus, Expr::value(result.status().map(Stored)))
        .col_expr(
            Column::LastFailure,
            Expr::value(result.failure().map(Stored)),
        )
        .col_expr(Column::LastAnswer, Expr::value(attempt.answer.as_str()));
    let update = match end.next {
        NextDelivery::Again { at } => queue::released(update, Some(at)),
        NextDelivery::Delivered => queue::ended(update, DeliveryState::Delivered, attempt.at),
        NextDelivery::GiveUp | NextDelivery::Disable => {
            queue::ended(update, DeliveryState::Failed, attempt.at)
        }
    };
    let recorded = queue::if_held(update, end.id, end.token).exec(transaction);
    Ok(recorded.await.map_err(failed)?.rows_affected > 0)
}

async fn note_health(
    transaction: &DatabaseTransaction,
    endpoint: EndpointId,
    failing_since: Option<Time>,
) -> Result<(), StoreError> {
    let noted = endpoints::Entity::update_many()
        .col_expr(endpoints::Column::FailingSince, Expr::value(failing_since))
        .filter(endpoints::Column::Id.eq(Stored(endpoint)))
        .exec(transaction);
    noted.await.map(drop).map_err(failed)
}

/// The statement that discards a claimed delivery.
pub(super) fn discarding(
    id: DeliveryId,
    token: Uuid,
    now: DateTime<Utc>,
) -> sea_orm::UpdateMany<Entity> {
    let discarded = queue::ended(Entity::update_many(), DeliveryState::Discarded, now);
    queue::if_held(discarded, id, token)
}
