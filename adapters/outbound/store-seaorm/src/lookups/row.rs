//! Rows of lookups.

use domain::keys::CountedKey;
use domain::lookups::{Attempt, LookupId, LookupState};
use domain::people::customer::CustomerId;
use ports::outbound::{BatchRow, LookupFacts, StoredLookup};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select, Set};

use crate::entity::lookups;
use crate::stored::Stored;

/// Selects a customer's lookup.
pub(super) fn own(customer: CustomerId, id: LookupId) -> Select<lookups::Entity> {
    lookups::Entity::find_by_id(Stored(id)).filter(lookups::Column::CustomerId.eq(Stored(customer)))
}

/// Selects those of these lookups that a customer has.
pub(super) fn these(customer: CustomerId, ids: &[LookupId]) -> Select<lookups::Entity> {
    let ids = ids.iter().map(|id| Stored(*id));
    lookups::Entity::find()
        .filter(lookups::Column::Id.is_in(ids))
        .filter(lookups::Column::CustomerId.eq(Stored(customer)))
}

/// The row of a new lookup, queued and due at once.
pub(crate) fn queued(facts: &LookupFacts, question: &[u8]) -> lookups::ActiveModel {
    let created_at = Stored(facts.created_at);
    lookups::ActiveModel {
        id: Set(Stored(facts.id)),
        customer_id: Set(Stored(facts.customer)),
        key_id: Set(Stored(facts.key.id)),
        counters_id: Set(Stored(facts.key.counters)),
        environment: Set(Stored(facts.environment)),
        class: Set(Stored(facts.class)),
        next_class: Set(Stored(facts.class)),
        request_id: Set(Stored(facts.request_id.clone())),
        month: Set(Stored(facts.month)),
        state: Set(Stored(LookupState::Queued)),
        created_at: Set(created_at),
        updated_at: Set(created_at),
        retry_until: Set(Stored(facts.retry_until)),
        due_at: Set(Some(created_at)),
        lease_token: Set(None),
        attempts: Set(Stored(0)),
        last_at: Set(None),
        last_outcome: Set(None),
        ended_at: Set(None),
        generation: Set(Stored(facts.generation)),
        question: Set(question.to_owned()),
        proof: Set(None),
        seal: Set(None),
        finding: Set(None),
        batch_id: Set(facts.batch.map(|row| Stored(row.batch))),
        batch_row: Set(facts.batch.map(|row| Stored(row.row))),
    }
}

pub(crate) fn read(lookup: lookups::Model) -> StoredLookup {
    let last = lookup.last_at.zip(lookup.last_outcome);
    StoredLookup {
        facts: facts(&lookup),
        state: lookup.state.0,
        updated_at: lookup.updated_at.0,
        due_at: lookup.due_at.map(Stored::value),
        attempts: lookup.attempts.0,
        last_attempt: last.map(|(Stored(at), Stored(outcome))| Attempt { at, outcome }),
        seal: lookup.seal.map(Stored::value),
        question: lookup.question,
        proof: lookup.proof,
        finding: lookup.finding,
    }
}

/// Reads the columns that never change.
pub(crate) fn facts(lookup: &lookups::Model) -> LookupFacts {
    let batch = lookup.batch_id.zip(lookup.batch_row);
    LookupFacts {
        id: lookup.id.0,
        customer: lookup.customer_id.0,
        key: CountedKey {
            id: lookup.key_id.0,
            counters: lookup.counters_id.0,
        },
        environment: lookup.environment.0,
        class: lookup.class.0,
        request_id: lookup.request_id.0.clone(),
        month: lookup.month.0,
        created_at: lookup.created_at.0,
        retry_until: lookup.retry_until.0,
        generation: lookup.generation.0,
        batch: batch.map(|(Stored(batch), Stored(row))| BatchRow { batch, row }),
    }
}
