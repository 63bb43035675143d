//! Turns of customers, whose lookups are claimed in rotation.

use domain::people::customer::CustomerId;
use ports::outbound::StoreError;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QuerySelect, Set};

use crate::entity::lookup_turns::{ActiveModel, Column, Entity};
use crate::error::failed;
use crate::stored::Stored;

/// The customers of which this claim has taken lookups so far, the latest last.
#[derive(Default)]
pub(super) struct Turns(Vec<CustomerId>);

impl Turns {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Reorders customers, given in the order of their stored turns, by the turns of this claim.
    pub(super) fn in_order(&self, customers: Vec<CustomerId>) -> Vec<CustomerId> {
        let had_a_turn = |customer: &CustomerId| self.0.contains(customer);
        let (mut later, mut first): (Vec<_>, Vec<_>) = customers.into_iter().partition(had_a_turn);
        later.sort_by_key(|customer| self.0.iter().position(|served| served == customer));
        first.append(&mut later);
        first
    }

    /// Moves a customer to the end.
    pub(super) fn serve(&mut self, customer: CustomerId) {
        self.0.retain(|served| *served != customer);
        self.0.push(customer);
    }

    /// Stores the turns, in the order of the customers' ids, so that two claims that lock the same
    /// rows don't deadlock. Two claims at once may store the same numbers; then the ids decide.
    pub(super) async fn store(self, transaction: &DatabaseTransaction) -> Result<(), StoreError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let latest = Entity::find()
            .select_only()
            .column_as(Column::Turn.max(), "latest")
            .into_tuple::<Option<i64>>()
            .one(transaction)
            .await
            .map_err(failed)?;
        let next = latest.flatten().unwrap_or_default() + 1;
        let mut turns: Vec<_> = self.0.into_iter().zip(next..).collect();
        turns.sort_unstable();
        let rows = turns.into_iter().map(|(customer, turn)| ActiveModel {
            customer_id: Set(Stored(customer)),
            turn: Set(turn),
        });
        let known = OnConflict::column(Column::CustomerId)
            .update_column(Column::Turn)
            .to_owned();
        Entity::insert_many(rows)
            .on_conflict(known)
            .exec_without_returning(transaction)
            .await
            .map_err(failed)?;
        Ok(())
    }
}
