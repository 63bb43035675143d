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
use sea_orm::sea_query::Query;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Set,
};

use super::cancellation::{is_untouched, refund};
use super::state;
use crate::entity::lookups::{ActiveModel, Column, Entity, Model};
use crate::lookups::{insert, row};
use crate::store::failed;
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
    let Some(batch) = batch.filter(|batch| batch.state != BatchState::Canceled) else {
        return Ok(None);
    };
    let mut import = Import {
        transaction,
        now: now.timestamp_millis(),
        present: present(transaction, batch.id, proofs).await?,
        delivered: Vec::new(),
        added: Vec::new(),
        refunded: Vec::new(),
    };
    for proof in proofs {
        import.deliver(proof).await.map_err(failed)?;
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
    let told = outbox::enqueue_all(transaction, &events).await;
    told.map_err(failed)?;
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
            .filter(Column::BatchId.eq(id.to_string()))
            .filter(Column::BatchRow.is_in(some.iter().copied()))
            .order_by_asc(Column::Id)
            .lock_exclusive()
            .all(transaction)
            .await
            .map_err(failed)?;
        for lookup in found {
            let lookup = Present::of(&lookup)?;
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
    now: i64,
    present: HashMap<RowNumber, Present>,
    delivered: Vec<(LookupFacts, SealVerdict)>,
    /// New lookups, of rows that had none.
    added: Vec<ActiveModel>,
    refunded: Vec<LookupFacts>,
}

impl Import<'_> {
    /// Delivers a proof, unless its row has one already, or its lookup isn't the one that was read
    /// before.
    async fn deliver(&mut self, proof: &ImportedProof) -> Result<(), DbErr> {
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
    fn of(lookup: &Model) -> Result<Self, StoreError> {
        Ok(Self {
            facts: row::facts(lookup)?,
            state: row::state(lookup)?,
            is_untouched: is_untouched(lookup),
        })
    }

    /// Returns `true` if the lookup has this id, and a proof can be delivered for it.
    fn takes_proof(&self, id: LookupId) -> bool {
        let has_ended_for_good =
            matches!(self.state, LookupState::Delivered | LookupState::Canceled);
        self.facts.id == id && !has_ended_for_good
    }
}

/// Row of a new lookup that is delivered already.
fn delivered_row(imported: &ImportedProof, now: i64) -> ActiveModel {
    let ImportedProof {
        row, proof, seal, ..
    } = imported;
    ActiveModel {
        state: Set(LookupState::Delivered.name().to_owned()),
        updated_at: Set(now),
        due_at: Set(None),
        ended_at: Set(Some(now)),
        proof: Set(Some(proof.clone())),
        seal: Set(Some(seal.name().to_owned())),
        ..row::queued(&row.facts, &row.question)
    }
}

/// Delivers a proof for a lookup, even if a worker holds a lease of it.
async fn update(
    transaction: &DatabaseTransaction,
    id: LookupId,
    (proof, seal): (&[u8], SealVerdict),
    now: i64,
) -> Result<(), DbErr> {
    let update = Query::update()
        .table(Entity)
        .value(Column::State, LookupState::Delivered.name())
        .value(Column::UpdatedAt, now)
        .value(Column::EndedAt, now)
        .value(Column::DueAt, None::<i64>)
        .value(Column::LeaseToken, None::<String>)
        .value(Column::Proof, proof.to_vec())
        .value(Column::Seal, seal.name())
        .value(Column::Finding, None::<Vec<u8>>)
        .and_where(Column::Id.eq(id.to_string()))
        .take();
    transaction.execute(&update).await.map(drop)
}
