//! Rows of lookups.

use domain::batches::{BatchId, RowNumber};
use domain::keys::{CountedKey, CounterId, Environment, HashGeneration, KeyId};
use domain::lookups::{Attempt, LookupId, LookupState};
use domain::month::Month;
use domain::outcome::Outcome;
use domain::pacing::LookupClass;
use domain::people::customer::CustomerId;
use domain::request::RequestId;
use domain::seals::SealVerdict;
use ports::outbound::{BatchRow, LookupFacts, StoreError, StoredLookup};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select, Set};

use crate::entity::lookups;
use crate::row::Row;

/// Selects a customer's lookup.
pub(super) fn own(customer: CustomerId, id: LookupId) -> Select<lookups::Entity> {
    lookups::Entity::find_by_id(id.to_string())
        .filter(lookups::Column::CustomerId.eq(customer.to_string()))
}

/// The row of a new lookup, queued and due at once.
pub(crate) fn queued(facts: &LookupFacts, question: &[u8]) -> lookups::ActiveModel {
    let created_at = facts.created_at.timestamp_millis();
    lookups::ActiveModel {
        id: Set(facts.id.to_string()),
        customer_id: Set(facts.customer.to_string()),
        key_id: Set(facts.key.id.to_string()),
        counters_id: Set(facts.key.counters.to_string()),
        environment: Set(facts.environment.name().to_owned()),
        class: Set(facts.class.name().to_owned()),
        next_class: Set(facts.class.name().to_owned()),
        request_id: Set(facts.request_id.as_str().to_owned()),
        month: Set(facts.month.number().into()),
        state: Set(LookupState::Queued.name().to_owned()),
        created_at: Set(created_at),
        updated_at: Set(created_at),
        retry_until: Set(facts.retry_until.timestamp_millis()),
        due_at: Set(Some(created_at)),
        lease_token: Set(None),
        attempts: Set(0),
        last_at: Set(None),
        last_outcome: Set(None),
        ended_at: Set(None),
        generation: Set(facts.generation.0.into()),
        question: Set(question.to_owned()),
        proof: Set(None),
        seal: Set(None),
        finding: Set(None),
        batch_id: Set(facts.batch.map(|row| row.batch.to_string())),
        batch_row: Set(facts.batch.map(|row| row.row.0.into())),
    }
}

pub(crate) fn read(lookup: lookups::Model) -> Result<StoredLookup, StoreError> {
    let row = row(&lookup);
    let attempts = u32::try_from(lookup.attempts).map_err(|_| row.unreadable("attempts"))?;
    Ok(StoredLookup {
        facts: facts(&lookup)?,
        state: state(&lookup)?,
        updated_at: row.instant(lookup.updated_at, "updated_at")?,
        due_at: row.optional_instant(lookup.due_at, "due_at")?,
        attempts,
        last_attempt: last_attempt(&lookup)?,
        seal: seal(&lookup)?,
        question: lookup.question,
        proof: lookup.proof,
        finding: lookup.finding,
    })
}

pub(crate) fn state(lookup: &lookups::Model) -> Result<LookupState, StoreError> {
    let state = LookupState::from_name(&lookup.state);
    state.ok_or_else(|| row(lookup).unreadable("state"))
}

fn row(lookup: &lookups::Model) -> Row<'_> {
    Row {
        table: "lookups",
        id: &lookup.id,
    }
}

/// Reads the columns that never change.
pub(crate) fn facts(lookup: &lookups::Model) -> Result<LookupFacts, StoreError> {
    let row = row(lookup);
    let environment = Environment::from_name(&lookup.environment);
    let month = u32::try_from(lookup.month)
        .ok()
        .and_then(Month::from_number);
    let generation = u16::try_from(lookup.generation).map_err(|_| row.unreadable("generation"))?;
    Ok(LookupFacts {
        id: LookupId(row.uuid(&lookup.id, "id")?),
        customer: CustomerId(row.uuid(&lookup.customer_id, "customer_id")?),
        key: CountedKey {
            id: KeyId(row.uuid(&lookup.key_id, "key_id")?),
            counters: CounterId(row.uuid(&lookup.counters_id, "counters_id")?),
        },
        environment: environment.ok_or_else(|| row.unreadable("environment"))?,
        class: LookupClass::from_name(&lookup.class).ok_or_else(|| row.unreadable("class"))?,
        request_id: RequestId::parse(&lookup.request_id)
            .ok_or_else(|| row.unreadable("request_id"))?,
        month: month.ok_or_else(|| row.unreadable("month"))?,
        created_at: row.instant(lookup.created_at, "created_at")?,
        retry_until: row.instant(lookup.retry_until, "retry_until")?,
        generation: HashGeneration(generation),
        batch: batch_row(lookup)?,
    })
}

fn seal(lookup: &lookups::Model) -> Result<Option<SealVerdict>, StoreError> {
    let Some(name) = &lookup.seal else {
        return Ok(None);
    };
    let seal = SealVerdict::from_name(name);
    let seal = seal.ok_or_else(|| row(lookup).unreadable("seal"))?;
    Ok(Some(seal))
}

fn batch_row(lookup: &lookups::Model) -> Result<Option<BatchRow>, StoreError> {
    let (Some(batch), Some(number)) = (&lookup.batch_id, lookup.batch_row) else {
        return Ok(None);
    };
    let row = row(lookup);
    let number = u32::try_from(number).map_err(|_| row.unreadable("batch_row"))?;
    Ok(Some(BatchRow {
        batch: BatchId(row.uuid(batch, "batch_id")?),
        row: RowNumber(number),
    }))
}

fn last_attempt(lookup: &lookups::Model) -> Result<Option<Attempt>, StoreError> {
    let (Some(at), Some(outcome)) = (lookup.last_at, &lookup.last_outcome) else {
        return Ok(None);
    };
    let row = row(lookup);
    let outcome = Outcome::from_name(outcome);
    Ok(Some(Attempt {
        at: row.instant(at, "last_at")?,
        outcome: outcome.ok_or_else(|| row.unreadable("last_outcome"))?,
    }))
}
