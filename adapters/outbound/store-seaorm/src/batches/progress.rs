//! Progress of batches: their lookups by state, from the index that holds both.

use std::collections::HashMap;

use domain::batches::BatchId;
use domain::lookups::LookupState;
use domain::seals::SealVerdict;
use ports::outbound::{BatchProgress, StoreError, StoredBatch};
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, Func};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
};

use super::row;
use crate::entity::batches;
use crate::entity::lookups::{Column, Entity};
use crate::read::Read;
use crate::stored::{Stored, Time};

/// Number of lookups of a batch in one state.
#[derive(FromQueryResult)]
struct Counted {
    batch_id: Stored<BatchId>,
    state: Stored<LookupState>,
    lookups: Stored<u32>,
    seal_invalid: Stored<u32>,
    seal_not_checked: Stored<u32>,
    next_due: Option<Time>,
}

/// Batches with their progress, in the same order.
pub(super) async fn with_progress(
    connection: &impl ConnectionTrait,
    batches: Vec<batches::Model>,
) -> Result<Vec<StoredBatch>, StoreError> {
    let ids = batches.iter().map(|batch| batch.id).collect();
    let mut lookups = of_batches(connection, ids).await?;
    let read = batches.into_iter().map(|batch| {
        let progress = lookups.remove(&batch.id.0).unwrap_or_default();
        row::read(batch, progress)
    });
    Ok(read.collect())
}

/// Progress of batches by their ids, without the numbers of rows; batches without lookups are left
/// out.
pub(super) async fn of_batches(
    connection: &impl ConnectionTrait,
    ids: Vec<Stored<BatchId>>,
) -> Result<HashMap<BatchId, BatchProgress>, StoreError> {
    let mut batches = HashMap::<_, BatchProgress>::new();
    if ids.is_empty() {
        return Ok(batches);
    }
    let counted = Entity::find()
        .select_only()
        .column(Column::BatchId)
        .column(Column::State)
        .column_as(Expr::cust("COUNT(*)"), "lookups")
        .column_as(seals(SealVerdict::Invalid), "seal_invalid")
        .column_as(seals(SealVerdict::NotChecked), "seal_not_checked")
        .column_as(Column::DueAt.min(), "next_due")
        .filter(Column::BatchId.is_in(ids))
        .group_by(Column::BatchId)
        .group_by(Column::State)
        .rows_as::<Counted>(connection);
    for counted in counted.await? {
        let progress = batches.entry(counted.batch_id.0).or_default();
        progress.lookups.push((counted.state.0, counted.lookups.0));
        progress.seal_invalid += counted.seal_invalid.0;
        progress.seal_not_checked += counted.seal_not_checked.0;
        let due = counted.next_due.map(Stored::value);
        progress.next_due = [progress.next_due, due].into_iter().flatten().min();
    }
    let place = |state: LookupState| LookupState::ALL.iter().position(|it| *it == state);
    for progress in batches.values_mut() {
        progress.lookups.sort_by_key(|(state, _)| place(*state));
    }
    Ok(batches)
}

/// Number of lookups whose seal had this verdict at their delivery.
fn seals(verdict: SealVerdict) -> Expr {
    let has_it = Expr::col(Column::Seal).eq(Stored(verdict));
    let one = CaseStatement::new().case(has_it, 1_i64);
    Func::count(one).into()
}
