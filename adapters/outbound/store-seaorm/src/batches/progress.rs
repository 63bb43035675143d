//! Progress of batches: their lookups by state, from the index that holds both.

use std::collections::HashMap;

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
use crate::store::failed;

/// Number of lookups of a batch in one state.
#[derive(FromQueryResult)]
struct Counted {
    batch_id: String,
    state: String,
    lookups: i64,
    seal_invalid: i64,
    seal_not_checked: i64,
    next_due: Option<i64>,
}

/// Batches with their progress, in the same order.
pub(super) async fn with_progress(
    connection: &impl ConnectionTrait,
    batches: Vec<batches::Model>,
) -> Result<Vec<StoredBatch>, StoreError> {
    let ids: Vec<_> = batches.iter().map(|batch| batch.id.as_str()).collect();
    let mut lookups = of_batches(connection, &ids).await?;
    let read = batches.into_iter().map(|batch| {
        let progress = lookups.remove(&batch.id).unwrap_or_default();
        row::read(batch, progress)
    });
    read.collect()
}

/// Progress of batches by their ids, without the numbers of rows; batches without lookups are left
/// out.
pub(super) async fn of_batches(
    connection: &impl ConnectionTrait,
    ids: &[&str],
) -> Result<HashMap<String, BatchProgress>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let counted = Entity::find()
        .select_only()
        .column(Column::BatchId)
        .column(Column::State)
        .column_as(Expr::cust("COUNT(*)"), "lookups")
        .column_as(seals(SealVerdict::Invalid), "seal_invalid")
        .column_as(seals(SealVerdict::NotChecked), "seal_not_checked")
        .column_as(Column::DueAt.min(), "next_due")
        .filter(Column::BatchId.is_in(ids.iter().copied()))
        .group_by(Column::BatchId)
        .group_by(Column::State)
        .into_model::<Counted>()
        .all(connection)
        .await
        .map_err(failed)?;
    let mut batches = HashMap::<_, BatchProgress>::new();
    for counted in counted {
        let row = row::row(&counted.batch_id);
        let state = LookupState::from_name(&counted.state);
        let state = state.ok_or_else(|| row.unreadable("state"))?;
        let lookups = row::rows(row, counted.lookups, "state")?;
        let due = row.optional_instant(counted.next_due, "due_at")?;
        let seal_invalid = row::rows(row, counted.seal_invalid, "seal")?;
        let seal_not_checked = row::rows(row, counted.seal_not_checked, "seal")?;
        let progress = batches.entry(counted.batch_id).or_default();
        progress.lookups.push((state, lookups));
        progress.seal_invalid += seal_invalid;
        progress.seal_not_checked += seal_not_checked;
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
    let has_it = Expr::col(Column::Seal).eq(verdict.name());
    let one = CaseStatement::new().case(has_it, 1_i64);
    Func::count(one).into()
}
