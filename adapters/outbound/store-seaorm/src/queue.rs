//! Tables that are queues: a row that hasn't ended is due at an instant, a process claims due rows under a
//! lease, extends it, and ends its claim while it holds the lease.
//!
//! PostgreSQL passes over rows that others have locked, and every change of a claimed row has the token of
//! its lease as a condition, so that a process that has lost its lease changes nothing.

use chrono::{DateTime, Utc};
use ports::outbound::{Lease, StoreError};
use sea_orm::sea_query::{Expr, LockBehavior, LockType};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    UpdateMany,
};
use uuid::Uuid;

use crate::entity::{batches, deliveries, lookups};
use crate::error::failed;
use crate::read::Read;
use crate::store::Store;
use crate::stored::{Storable, Stored};

/// A table that is a queue.
pub(crate) trait Queue: EntityTrait {
    /// Type of the rows' ids.
    type Id: Storable;
    /// Type of the rows' states.
    type State: Storable;

    const ID: Self::Column;
    const STATE: Self::Column;
    /// Time at which the row may be claimed; NULL once it has ended.
    const DUE_AT: Self::Column;
    /// Token of the current lease.
    const LEASE_TOKEN: Self::Column;
    const ENDED_AT: Self::Column;
}

macro_rules! queues {
    ($($table:ident: $id:path, $state:path;)+) => {
        $(impl Queue for $table::Entity {
            type Id = $id;
            type State = $state;

            const ID: Self::Column = $table::Column::Id;
            const STATE: Self::Column = $table::Column::State;
            const DUE_AT: Self::Column = $table::Column::DueAt;
            const LEASE_TOKEN: Self::Column = $table::Column::LeaseToken;
            const ENDED_AT: Self::Column = $table::Column::EndedAt;
        })+
    };
}

queues! {
    batches: domain::batches::BatchId, domain::batches::BatchState;
    lookups: domain::lookups::LookupId, domain::lookups::LookupState;
    deliveries: domain::webhooks::DeliveryId, domain::webhooks::DeliveryState;
}

/// Recursive query for the owners of rows that haven't ended, as `open`. Steps through an index from one
/// owner to the next, without reading their rows.
macro_rules! owners {
    ($table:literal, $owner:literal $(, $condition:literal)?) => {
        concat!(
            "WITH RECURSIVE open (", $owner, ") AS (SELECT MIN(", $owner, ") FROM ", $table,
            " WHERE due_at IS NOT NULL" $(, " AND ", $condition)?,
            " UNION ALL SELECT (SELECT MIN(", $owner, ") FROM ", $table,
            " WHERE due_at IS NOT NULL" $(, " AND ", $condition)?,
            " AND ", $owner, " > open.", $owner, ") FROM open WHERE open.", $owner, " IS NOT NULL) "
        )
    };
}
pub(crate) use owners;

/// Selects due rows.
pub(crate) fn due<E: Queue>(now: DateTime<Utc>) -> Select<E> {
    E::find().filter(E::DUE_AT.lte(Stored(now)))
}

/// Reads up to `most` of these due rows, the longest due first, and locks them on PostgreSQL.
pub(crate) async fn take<E: Queue>(
    transaction: &DatabaseTransaction,
    due: Select<E>,
    most: usize,
) -> Result<Vec<E::Model>, StoreError> {
    due.order_by_asc(E::DUE_AT)
        .order_by_asc(E::ID)
        .limit(most as u64)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .rows(transaction)
        .await
}

/// Sets the lease of taken rows, with further changes.
pub(crate) async fn hold<E: Queue>(
    transaction: &DatabaseTransaction,
    further: UpdateMany<E>,
    ids: Vec<Stored<E::Id>>,
    lease: Lease,
) -> Result<(), StoreError> {
    if ids.is_empty() {
        return Ok(());
    }
    let held = further
        .col_expr(E::DUE_AT, Expr::value(Stored(lease.until)))
        .col_expr(E::LEASE_TOKEN, Expr::value(Stored(lease.token)))
        .filter(E::ID.is_in(ids))
        .exec(transaction);
    held.await.map(drop).map_err(failed)
}

/// Restricts an update to a row whose lease has this token.
pub(crate) fn if_held<E: Queue>(update: UpdateMany<E>, id: E::Id, token: Uuid) -> UpdateMany<E> {
    update
        .filter(E::ID.eq(Stored(id)))
        .filter(E::LEASE_TOKEN.eq(Stored(token)))
}

/// Extends a lease, if it is held.
pub(crate) fn renewal<E: Queue>(id: E::Id, lease: Lease) -> UpdateMany<E> {
    let until = Expr::value(Stored(lease.until));
    if_held(E::update_many().col_expr(E::DUE_AT, until), id, lease.token)
}

/// Makes rows due at an instant, or never again, and ends their leases.
pub(crate) fn released<E: Queue>(
    update: UpdateMany<E>,
    due_at: Option<DateTime<Utc>>,
) -> UpdateMany<E> {
    update
        .col_expr(E::DUE_AT, Expr::value(due_at.map(Stored)))
        .col_expr(E::LEASE_TOKEN, Expr::value(None::<Stored<Uuid>>))
}

/// Sets the state in which rows end.
pub(crate) fn ended<E: Queue>(
    update: UpdateMany<E>,
    state: E::State,
    now: DateTime<Utc>,
) -> UpdateMany<E> {
    released(update, None)
        .col_expr(E::STATE, Expr::value(Stored(state)))
        .col_expr(E::ENDED_AT, Expr::value(Stored(now)))
}

impl Store {
    /// Returns whether one of these rows is due. Asked before each claim, without the write lock.
    pub(crate) async fn is_any_due<E: Queue>(&self, due: Select<E>) -> Result<bool, StoreError> {
        let one = due
            .select_only()
            .column(E::DUE_AT)
            .limit(1)
            .into_tuple::<i64>()
            .one(&self.connection);
        Ok(one.await.map_err(failed)?.is_some())
    }
}
