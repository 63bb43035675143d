//! Claims of due lookups. Customers take turns.

use chrono::{DateTime, Utc};
use domain::lookups::LookupState;
use domain::pacing::LookupClass;
use domain::people::customer::CustomerId;
use ports::outbound::{ClaimedClasses, ClaimedLookup, Lease, StoreError};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, QueryFilter, Select,
};

use super::turns::Turns;
use super::{attempts, row};
use crate::entity::lookups::{Column, Entity, Model};
use crate::queue;
use crate::read::{First, query, sql};
use crate::store::Store;
use crate::stored::Stored;

/// Reads the customers with due lookups of a class, in the order of their turns.
const CUSTOMERS: &str = concat!(
    queue::owners!("lookups", "customer_id", "next_class = $1"),
    "SELECT open.customer_id FROM open \
     LEFT JOIN lookup_turns ON lookup_turns.customer_id = open.customer_id \
     WHERE (SELECT MIN(due_at) FROM lookups \
         WHERE due_at IS NOT NULL AND next_class = $1 AND customer_id = open.customer_id) <= $2 \
     ORDER BY COALESCE(turn, 0), open.customer_id LIMIT $3"
);

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
        for class in classes {
            if self.is_any_due(due(*class, now)).await? {
                return self
                    .within(async |transaction| {
                        let claim = Claim {
                            transaction,
                            now,
                            lease,
                        };
                        claim.of_classes(most, classes).await
                    })
                    .await;
            }
        }
        Ok(Vec::new())
    }
}

fn due(class: LookupClass, now: DateTime<Utc>) -> Select<Entity> {
    queue::due::<Entity>(now).filter(Column::NextClass.eq(Stored(class)))
}

struct Claim<'a> {
    transaction: &'a DatabaseTransaction,
    now: DateTime<Utc>,
    lease: Lease,
}

/// A customer, and the lookups picked of it.
struct Picked {
    customer: CustomerId,
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
            let customers = turns.in_order(customers.await?);
            let lookups = in_rotation(self.pick(*class, customers, left).await?);
            for lookup in &lookups {
                turns.serve(lookup.customer_id.0);
            }
            left -= lookups.len();
            claimed.extend(self.hold(lookups).await?);
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
        customers: Vec<CustomerId>,
        mut left: usize,
    ) -> Result<Vec<Picked>, StoreError> {
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
                let more = self.take(class, &picked[place], share).await?;
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

    /// Up to `most` due lookups of a customer after those already picked.
    async fn take(
        &self,
        class: LookupClass,
        of: &Picked,
        most: usize,
    ) -> Result<Vec<Model>, StoreError> {
        let mut due = due(class, self.now).filter(Column::CustomerId.eq(Stored(of.customer)));
        if let Some(last) = of.lookups.last() {
            let place = [Expr::val(last.due_at), Expr::val(last.id)];
            let columns = [Expr::col(Column::DueAt), Expr::col(Column::Id)];
            due = due.filter(Expr::tuple(columns).gt(Expr::tuple(place)));
        }
        queue::take(self.transaction, due, most).await
    }

    /// Sets the lease of lookups.
    async fn hold(&self, mut lookups: Vec<Model>) -> Result<Vec<Model>, StoreError> {
        let running = Stored(LookupState::Running);
        let now = Stored(self.now);
        let run = Entity::update_many()
            .col_expr(Column::State, Expr::value(running))
            .col_expr(Column::UpdatedAt, Expr::value(now));
        let ids = lookups.iter().map(|lookup| lookup.id).collect();
        queue::hold(self.transaction, run, ids, self.lease).await?;
        for lookup in &mut lookups {
            lookup.state = running;
            lookup.due_at = Some(Stored(self.lease.until));
            lookup.updated_at = now;
        }
        Ok(lookups)
    }

    async fn with_attempts(&self, lookups: Vec<Model>) -> Result<Vec<ClaimedLookup>, StoreError> {
        let tried = lookups.iter().filter(|lookup| lookup.attempts.0 > 0);
        let tried = tried.map(|lookup| lookup.id.0);
        let mut attempts = attempts::of_lookups(self.transaction, tried).await?;
        let claimed = lookups.into_iter().map(|lookup| ClaimedLookup {
            attempts: attempts.remove(&lookup.id.0).unwrap_or_default(),
            lookup: row::read(lookup),
        });
        Ok(claimed.collect())
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
) -> Result<Vec<CustomerId>, StoreError> {
    let values = [
        Stored(class).into(),
        Stored(now).into(),
        Stored(most).into(),
    ];
    let customers = sql(connection, CUSTOMERS, values);
    let rows = query::<First<Stored<CustomerId>>>(connection, "lookups", customers).await?;
    Ok(rows.into_iter().map(|First(customer)| customer.0).collect())
}
