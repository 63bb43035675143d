//! Deliveries of imported proofs for rows of a batch, without a query to the bank.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::batches::{BatchId, BatchState, RowNumber};
use domain::lookups::{LookupId, LookupState};
use domain::people::customer::CustomerId;
use domain::proofs::notice::ProofOrigin;
use domain::seals::SealVerdict;
use domain::webhooks::LookupEnd;
use ports::outbound::{BatchRow, ImportedProof, LookupFacts, StoreError};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set,
};

use super::cancellation::{is_untouched, refund};
use super::state;
use crate::entity::lookups::{ActiveModel, Column, Entity, Model};
use crate::error::failed;
use crate::lookups::{insert, row};
use crate::queue;
use crate::read::Read;
use crate::stored::Stored;
use crate::webhooks::outbox;

/// Number of rows whose lookups are read by one statement.
const ROWS_PER_STATEMENT: usize = 1_000;

/// Delivers proofs; `None` when the customer has no such batch, or it is canceled.
pub(super) async fn within(
    transaction: &DatabaseTransaction,
    customer: CustomerId,
    id: BatchId,
    proofs: &[ImportedProof],
    now: DateTime<Utc>,
) -> Result<Option<Vec<LookupFacts>>, StoreError> {
    let batch = state::own(transaction, customer, id).await?;
    let Some(batch) = batch.filter(|batch| batch.state.0 != BatchState::Canceled) else {
        return Ok(None);
    };
    let mut import = Import {
        transaction,
        now,
        present: present(transaction, batch.id.0, proofs).await?,
        delivered: Vec::new(),
        added: Vec::new(),
        refunded: Vec::new(),
    };
    for proof in proofs {
        import.deliver(proof).await?;
    }
    let inserted = insert::rows(transaction, import.added).await;
    inserted.map_err(failed)?;
    refund(transaction, import.refunded.iter()).await?;
    let delivered = import.delivered.iter();
    let event = |(facts, seal): &(LookupFacts, _)| {
        facts.end_event(
            LookupEnd::Delivered {
                seal: *seal,
                origin: ProofOrigin::Imported,
            },
            now,
        )
    };
    let events: Vec<_> = delivered.filter_map(event).collect();
    outbox::enqueue_all(transaction, &events).await?;
    let delivered = import.delivered.into_iter().map(|(facts, _)| facts);
    Ok(Some(delivered.collect()))
}

/// Lookups of the rows that the proofs belong to, locked in the order of their ids.
async fn present(
    transaction: &DatabaseTransaction,
    id: BatchId,
    proofs: &[ImportedProof],
) -> Result<HashMap<RowNumber, Present>, StoreError> {
    let numbers = proofs.iter().filter_map(|proof| proof.row.facts.batch);
    let mut numbers: Vec<_> = numbers.map(|row| row.row.0).collect();
    numbers.sort_unstable();
    let mut present = HashMap::new();
    for some in numbers.chunks(ROWS_PER_STATEMENT) {
        let found = Entity::find()
            .filter(Column::BatchId.eq(Stored(id)))
            .filter(Column::BatchRow.is_in(some.iter().copied()))
            .order_by_asc(Column::Id)
            .lock_exclusive()
            .rows(transaction);
        for lookup in found.await? {
            let lookup = Present::of(&lookup);
            if let Some(BatchRow { row, .. }) = lookup.facts.batch {
                present.insert(row, lookup);
            }
        }
    }
    Ok(present)
}

/// Existing lookup of a row.
struct Present {
    facts: LookupFacts,
    state: LookupState,
    is_untouched: bool,
}

struct Import<'a> {
    transaction: &'a DatabaseTransaction,
    now: DateTime<Utc>,
    present: HashMap<RowNumber, Present>,
    delivered: Vec<(LookupFacts, SealVerdict)>,
    /// New lookups, of rows that had none.
    added: Vec<ActiveModel>,
    refunded: Vec<LookupFacts>,
}

impl Import<'_> {
    /// Delivers a proof, unless its row has one already, or its lookup isn't the one that was read
    /// before.
    async fn deliver(&mut self, proof: &ImportedProof) -> Result<(), StoreError> {
        let Some(BatchRow { row, .. }) = proof.row.facts.batch else {
            return Ok(());
        };
        let facts = match (self.present.get_mut(&row), &proof.existing) {
            (None, None) => {
                self.added.push(delivered_row(proof, self.now));
                proof.row.facts.clone()
            }
            (Some(present), Some((id, content))) if present.takes_proof(*id) => {
                update(self.transaction, *id, (content, proof.seal), self.now).await?;
                if present.is_untouched {
                    self.refunded.push(present.facts.clone());
                }
                present.facts.clone()
            }
            _ => return Ok(()),
        };
        let done = Present {
            facts: facts.clone(),
            state: LookupState::Delivered,
            is_untouched: false,
        };
        self.present.insert(row, done);
        self.delivered.push((facts, proof.seal));
        Ok(())
    }
}

impl Present {
    fn of(lookup: &Model) -> Self {
        Self {
            facts: row::facts(lookup),
            state: lookup.state.0,
            is_untouched: is_untouched(lookup),
        }
    }

    /// Returns `true` if the lookup has this id, and a proof can be delivered for it.
    fn takes_proof(&self, id: LookupId) -> bool {
        let has_ended_for_good =
            matches!(self.state, LookupState::Delivered | LookupState::Canceled);
        self.facts.id == id && !has_ended_for_good
    }
}

/// Row of a new lookup that is delivered already.
fn delivered_row(imported: &ImportedProof, now: DateTime<Utc>) -> ActiveModel {
    let ImportedProof {
        row, proof, seal, ..
    } = imported;
    ActiveModel {
        state: Set(Stored(LookupState::Delivered)),
        updated_at: Set(Stored(now)),
        due_at: Set(None),
        ended_at: Set(Some(Stored(now))),
        proof: Set(Some(proof.clone())),
        seal: Set(Some(Stored(*seal))),
        ..row::queued(&row.facts, &row.question)
    }
}

/// Delivers a proof for a lookup, even if a worker holds a lease of it.
async fn update(
    transaction: &DatabaseTransaction,
    id: LookupId,
    (proof, seal): (&[u8], SealVerdict),
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let update = Entity::update_many()
        .col_expr(Column::UpdatedAt, Expr::value(Stored(now)))
        .col_expr(Column::Proof, Expr::value(proof.to_vec()))
        .col_expr(Column::Seal, Expr::value(Stored(seal)))
        .col_expr(Column::Finding, Expr::value(None::<Vec<u8>>))
        .filter(Column::Id.eq(Stored(id)));
    let delivered = queue::ended(update, LookupState::Delivered, now).exec(transaction);
    delivered.await.map(drop).map_err(failed)
}
