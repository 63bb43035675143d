//! Requests with an idempotency key.

use std::iter::once;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::batches::BatchId;
use domain::idempotency::{FirstAnswer, IdempotencyScope, RequestFingerprint};
use domain::lookups::LookupId;
use domain::outcome::Outcome;
use domain::proofs::seen::EarlierDeliveries;
use ports::outbound::{EarlierRequest, IdempotencyStore, NewClaim, ScopeClaim, StoreError};
use sea_orm::{ConnectionTrait, FromQueryResult, Value};

use crate::error::failed;
use crate::prune::IDEMPOTENCY_KEYS;
use crate::read::{places, query, sql};
use crate::store::Store;
use crate::stored::{Stored, Time};

/// Inserts an entry, or replaces one that has expired or whose claim has lapsed without an answer.
const CLAIM: &str = "INSERT INTO idempotency_keys \
     (id, fingerprint, claim_token, claimed_until, expires_at) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, \
     claim_token = excluded.claim_token, claimed_until = excluded.claimed_until, \
     expires_at = excluded.expires_at, lookup_id = NULL, batch_id = NULL, outcome = NULL, \
     seen_times = NULL, seen_first = NULL \
     WHERE idempotency_keys.expires_at <= $6 OR \
     (idempotency_keys.lookup_id IS NULL AND idempotency_keys.batch_id IS NULL AND \
     idempotency_keys.outcome IS NULL AND idempotency_keys.claimed_until <= $6)";

const RECORD: &str = "UPDATE idempotency_keys SET lookup_id = $3, outcome = $4, seen_times = $5, \
     seen_first = $6, batch_id = $7 WHERE id = $1 AND claim_token = $2 AND lookup_id IS NULL \
     AND batch_id IS NULL AND outcome IS NULL";

const RELEASE: &str = "DELETE FROM idempotency_keys WHERE id = $1 AND claim_token = $2";

/// An entry that is still valid.
#[derive(FromQueryResult)]
struct Entry {
    id: Stored<IdempotencyScope>,
    fingerprint: Stored<RequestFingerprint>,
    lookup_id: Option<Stored<LookupId>>,
    batch_id: Option<Stored<BatchId>>,
    outcome: Option<Stored<Outcome>>,
    seen_times: Option<Stored<u64>>,
    seen_first: Option<Time>,
}

impl Entry {
    fn read(self) -> EarlierRequest {
        EarlierRequest {
            scope: self.id.0,
            fingerprint: self.fingerprint.0,
            answer: self.answer(),
        }
    }

    /// The answer; `None` while the request runs.
    fn answer(&self) -> Option<FirstAnswer> {
        if let Some(Stored(id)) = self.lookup_id {
            return Some(FirstAnswer::Lookup(id));
        }
        if let Some(Stored(id)) = self.batch_id {
            return Some(FirstAnswer::Batch(id));
        }
        let first = self.seen_first.map(Stored::value);
        Some(FirstAnswer::Immediate {
            outcome: self.outcome?.0,
            seen: self
                .seen_times
                .map(|Stored(times)| EarlierDeliveries { times, first }),
        })
    }
}

#[async_trait]
impl IdempotencyStore for Store {
    async fn earlier_request(
        &self,
        scopes: &[IdempotencyScope],
        now: DateTime<Utc>,
    ) -> Result<Option<EarlierRequest>, StoreError> {
        if scopes.is_empty() {
            return Ok(None);
        }
        // Valid entries: answered, or with a claim that hasn't lapsed.
        let valid = format!(
            "SELECT id, fingerprint, lookup_id, batch_id, outcome, seen_times, seen_first \
             FROM idempotency_keys WHERE id IN ({}) AND expires_at > $1 AND \
             (lookup_id IS NOT NULL OR batch_id IS NOT NULL OR outcome IS NOT NULL \
             OR claimed_until > $1)",
            places(2, scopes.len())
        );
        let ids = scopes.iter().map(|scope| Stored(*scope).into());
        let values = once(Stored(now).into()).chain(ids);
        let valid = sql(&self.connection, valid, values);
        let entries = query::<Entry>(&self.connection, "idempotency_keys", valid);
        let entries = self.in_time(entries).await?.into_iter();
        let place = |entry: &Entry| scopes.iter().position(|it| *it == entry.id.0);
        Ok(entries.min_by_key(place).map(Entry::read))
    }

    async fn claim_scope(&self, claim: &NewClaim, now: DateTime<Utc>) -> Result<bool, StoreError> {
        let values = [
            Stored(claim.request.scope).into(),
            Stored(claim.request.fingerprint).into(),
            Stored(claim.token).into(),
            Stored(claim.until).into(),
            Stored(claim.expires_at).into(),
            Stored(now).into(),
        ];
        self.changes_one(CLAIM, values.into()).await
    }

    async fn record_answer(
        &self,
        claim: ScopeClaim,
        answer: FirstAnswer,
    ) -> Result<bool, StoreError> {
        self.changes_one(RECORD, recorded(claim, answer)).await
    }

    async fn release_scope(&self, claim: ScopeClaim) -> Result<(), StoreError> {
        let values = [Stored(claim.scope).into(), Stored(claim.token).into()];
        self.changes_one(RELEASE, values.into()).await.map(drop)
    }

    async fn prune_idempotency(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        self.check_files()?;
        self.prune_table(&IDEMPOTENCY_KEYS, before).await
    }
}

impl Store {
    /// Executes a statement that changes one row at most; returns `true` if it did.
    async fn changes_one(&self, text: &str, values: Vec<Value>) -> Result<bool, StoreError> {
        let statement = sql(&self.connection, text, values);
        let done = self.write(self.connection.execute_raw(statement)).await?;
        Ok(done.rows_affected() > 0)
    }
}

/// The request took too long, and another one has taken its claim over.
#[derive(Debug, thiserror::Error)]
#[error("the claim of an idempotency key is not held any more")]
struct ClaimLost;

/// Records the answer to the request that holds a claim: something that it created.
///
/// # Errors
/// The claim isn't held any more, or the database fails.
pub(crate) async fn record(
    connection: &impl ConnectionTrait,
    claim: ScopeClaim,
    answer: FirstAnswer,
) -> Result<(), StoreError> {
    let statement = sql(connection, RECORD, recorded(claim, answer));
    let done = connection.execute_raw(statement).await.map_err(failed)?;
    if done.rows_affected() == 0 {
        return Err(failed(ClaimLost));
    }
    Ok(())
}

/// The values of [`RECORD`].
fn recorded(claim: ScopeClaim, answer: FirstAnswer) -> Vec<Value> {
    let (mut lookup, mut batch, mut outcome, mut seen) = (None, None, None, None);
    match answer {
        FirstAnswer::Lookup(id) => lookup = Some(Stored(id)),
        FirstAnswer::Batch(id) => batch = Some(Stored(id)),
        FirstAnswer::Immediate {
            outcome: of,
            seen: earlier,
        } => {
            outcome = Some(Stored(of));
            seen = earlier;
        }
    }
    let first = seen.and_then(|seen| seen.first);
    vec![
        Stored(claim.scope).into(),
        Stored(claim.token).into(),
        lookup.into(),
        outcome.into(),
        seen.map(|seen| Stored(seen.times)).into(),
        first.map(Stored).into(),
        batch.into(),
    ]
}
