//! Lists of a customer's lookups.

use domain::page::{CursorError, PageRequest};
use domain::people::customer::CustomerId;
use ports::outbound::LookupFilter;
use sea_orm::sea_query::{BinOper, Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select};

use crate::entity::lookups::{Column, Entity};
use crate::read::newest_first;
use crate::stored::Stored;

/// A text column in a form for which no index is used. A batch has few of its customer's lookups,
/// but SQLite, without statistics, would read all of the customer's, because they are in order.
fn without_index(column: Column) -> Expr {
    let nothing = Expr::Constant(String::new().into());
    Expr::col(column).binary(BinOper::Custom("||"), nothing)
}

/// One page of a customer's lookups, newest first, and one more.
pub(super) fn select(
    customer: CustomerId,
    filter: &LookupFilter,
    page: &PageRequest,
) -> Result<Select<Entity>, CursorError> {
    let mut found = match filter.batch {
        Some(batch) => Entity::find()
            .filter(Column::BatchId.eq(Stored(batch)))
            .filter(without_index(Column::CustomerId).eq(Stored(customer))),
        None => Entity::find().filter(Column::CustomerId.eq(Stored(customer))),
    };
    if let Some(environment) = filter.environment {
        found = found.filter(Column::Environment.eq(Stored(environment)));
    }
    if !filter.states.is_empty() {
        let states = filter.states.iter().copied().map(Stored);
        found = found.filter(Column::State.is_in(states));
    }
    if let Some(counters) = filter.counters {
        found = found.filter(Column::CountersId.eq(Stored(counters)));
    }
    if let Some(from) = filter.created_from {
        found = found.filter(Column::CreatedAt.gte(Stored(from)));
    }
    newest_first(found, (Column::CreatedAt, Column::Id), page)
}
