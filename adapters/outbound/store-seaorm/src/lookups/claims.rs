//! Claims of due lookups.

use chrono::{DateTime, Utc};
use domain::lookups::LookupState;
use domain::pacing::LookupClass;
use ports::outbound::{ClaimedClasses, ClaimedLookup, Lease, StoreError};
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Statement,
};

use super::turns::Turns;
use super::{attempts, row};
use crate::entity::lookups::{Column, Entity, Model};
use crate::store::{Store, failed};

/// Reads the customers with due lookups of a class, in the order of their turns. Steps through the
/// index from one customer to the next, without reading their lookups.
const CUSTOMERS: &str = "WITH RECURSIVE open (customer_id) AS (\
    SELECT MIN(customer_id) FROM lookups WHERE due_at IS NOT NULL AND next_class = $1 \
    UNION ALL \
    SELECT (SELECT MIN(customer_id) FROM lookups \
        WHERE due_at IS NOT NULL AND next_class = $1 AND customer_id > open.customer_id) \
    FROM open WHERE open.customer_id IS NOT NULL) \
    SELECT open.customer_id FROM open \
    LEFT JOIN lookup_turns ON lookup_turns.customer_id = open.customer_id \
    WHERE (SELECT MIN(due_at) FROM lookups \
        WHERE due_at IS NOT NULL AND next_class = $1 AND customer_id = open.customer_id) <= $2 \
    ORDER BY COALESCE(turn, 0), open.customer_id LIMIT $3";

impl Store {
    /// Claims up to `most` lookups. First checks, without the write lock, that any are due.
    pub(super) async fn claim_due(
        &self,
        most: u32,
        classes: ClaimedClasses,
        now: DateTime<Utc>,
        lease: Lease,
    ) -> Result<Vec<ClaimedLookup>, StoreError> {
        let classes: &[LookupClass] = match classes {
            ClaimedClasses::All => &[LookupClass::Interactive, LookupClass::Background],
            ClaimedClasses::Interactive => &[LookupClass::Interactive],
        };
        if !self.is_any_due(classes, now).await.map_err(failed)? {
            return Ok(Vec::new());
        }
        let transaction = self.begin().await?;
        let claim = Claim {
            transaction: &transaction,
            now,
            lease,
        };
        let claimed = claim.of_classes(most, classes).await;
        self.end(transaction, claimed).await
    }

    async fn is_any_due(&self, classes: &[LookupClass], now: DateTime<Utc>) -> Result<bool, DbErr> {
        for class in classes {
            let any = Entity::find()
                .select_only()
                .column(Column::DueAt)
                .filter(Column::NextClass.eq(class.name()))
                .filter(Column::DueAt.lte(now.timestamp_millis()))
                .limit(1)
                .into_tuple::<i64>()
                .one(&self.connection);
            if any.await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

struct Claim<'a> {
    transaction: &'a DatabaseTransaction,
    now: DateTime<Utc>,
    lease: Lease,
}

/// A customer, and the lookups picked of it.
struct Picked {
    customer: String,
    lookups: Vec<Model>,
}

impl Claim<'_> {
    /// Claims from one class after the other, until enough are claimed.
    async fn of_classes(
        &self,
        most: u32,
        classes: &[LookupClass],
    ) -> Result<Vec<ClaimedLookup>, StoreError> {
        let mut left = usize::try_from(most).unwrap_or(usize::MAX);
        let mut turns = Turns::default();
        let mut claimed = Vec::new();
        for class in classes {
            let candidates = left + turns.len();
            let customers = customers(self.transaction, *class, self.now, candidates as u64);
            let customers = turns.in_order(customers.await.map_err(failed)?);
            let picked = self.pick(*class, customers, left).await.map_err(failed)?;
            let lookups = in_rotation(picked);
            for lookup in &lookups {
                turns.serve(&lookup.customer_id);
            }
            left -= lookups.len();
            claimed.extend(self.hold(lookups).await.map_err(failed)?);
            if left == 0 {
                break;
            }
        }
        turns.store(self.transaction).await?;
        self.with_attempts(claimed).await
    }

    /// Picks up to `left` lookups, spread evenly over the customers. Those of each customer are
    /// read together, not one per turn.
    async fn pick(
        &self,
        class: LookupClass,
        customers: Vec<String>,
        mut left: usize,
    ) -> Result<Vec<Picked>, DbErr> {
        let none = |customer| Picked {
            customer,
            lookups: Vec::new(),
        };
        let mut picked: Vec<_> = customers.into_iter().map(none).collect();
        let mut with_more: Vec<_> = (0..picked.len()).collect();
        while left > 0 && !with_more.is_empty() {
            let share = (left / with_more.len()).max(1);
            let mut next = Vec::new();
            for place in with_more {
                if left == 0 {
                    break;
                }
                let more = self.due(class, &picked[place], share).await?;
                left -= more.len();
                if more.len() == share {
                    next.push(place);
                }
                picked[place].lookups.extend(more);
            }
            with_more = next;
        }
        Ok(picked)
    }

    /// Up to `most` due lookups of a customer after those already picked, locked on PostgreSQL.
    async fn due(&self, class: LookupClass, of: &Picked, most: usize) -> Result<Vec<Model>, DbErr> {
        let mut due = Entity::find()
            .filter(Column::NextClass.eq(class.name()))
            .filter(Column::CustomerId.eq(&of.customer))
            .filter(Column::DueAt.lte(self.now.timestamp_millis()));
        if let Some(last) = of.lookups.last() {
            let place = [Expr::val(last.due_at), Expr::val(&last.id)];
            let columns = [Expr::col(Column::DueAt), Expr::col(Column::Id)];
            due = due.filter(Expr::tuple(columns).gt(Expr::tuple(place)));
        }
        due.order_by_asc(Column::DueAt)
            .order_by_asc(Column::Id)
            .limit(most as u64)
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
            .all(self.transaction)
            .await
    }

    /// Sets the lease of lookups.
    async fn hold(&self, mut lookups: Vec<Model>) -> Result<Vec<Model>, DbErr> {
        if lookups.is_empty() {
            return Ok(lookups);
        }
        let running = LookupState::Running.name();
        let until = self.lease.until.timestamp_millis();
        let now = self.now.timestamp_millis();
        let ids = lookups.iter().map(|lookup| lookup.id.as_str());
        Entity::update_many()
            .col_expr(Column::State, Expr::value(running))
            .col_expr(Column::DueAt, Expr::value(until))
            .col_expr(Column::UpdatedAt, Expr::value(now))
            .col_expr(
                Column::LeaseToken,
                Expr::value(self.lease.token.to_string()),
            )
            .filter(Column::Id.is_in(ids))
            .exec(self.transaction)
            .await?;
        for lookup in &mut lookups {
            running.clone_into(&mut lookup.state);
            lookup.due_at = Some(until);
            lookup.updated_at = now;
        }
        Ok(lookups)
    }

    async fn with_attempts(&self, lookups: Vec<Model>) -> Result<Vec<ClaimedLookup>, StoreError> {
        let tried = lookups.iter().filter(|lookup| lookup.attempts > 0);
        let tried: Vec<_> = tried.map(|lookup| lookup.id.as_str()).collect();
        let mut attempts = attempts::of_lookups(self.transaction, &tried).await?;
        let claimed = lookups.into_iter().map(|lookup| {
            Ok(ClaimedLookup {
                attempts: attempts.remove(&lookup.id).unwrap_or_default(),
                lookup: row::read(lookup)?,
            })
        });
        claimed.collect()
    }
}

/// Orders lookups by rotation of their customers: the first of each, then the second of each, and
/// so on.
fn in_rotation(picked: Vec<Picked>) -> Vec<Model> {
    let ranked = picked
        .into_iter()
        .flat_map(|picked| picked.lookups.into_iter().enumerate());
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, lookup)| lookup).collect()
}

/// Ids of up to `most` customers with due lookups of a class, in the order of their stored turns.
async fn customers(
    connection: &impl ConnectionTrait,
    class: LookupClass,
    now: DateTime<Utc>,
    most: u64,
) -> Result<Vec<String>, DbErr> {
    let values = [
        class.name().into(),
        now.timestamp_millis().into(),
        i64::try_from(most).unwrap_or(i64::MAX).into(),
    ];
    let backend = connection.get_database_backend();
    let query = Statement::from_sql_and_values(backend, CUSTOMERS, values);
    let rows = connection.query_all_raw(query).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}
