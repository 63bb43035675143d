//! Requests with an idempotency key.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::batches::BatchId;
use domain::idempotency::{FirstAnswer, IdempotencyScope, RequestFingerprint};
use domain::lookups::LookupId;
use domain::outcome::Outcome;
use domain::proofs::seen::EarlierDeliveries;
use ports::outbound::{EarlierRequest, IdempotencyStore, NewClaim, ScopeClaim, StoreError};
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, Statement, Value};

use crate::prune::IDEMPOTENCY_KEYS;
use crate::row::{Row, stored};
use crate::store::{Store, failed};

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
    id: String,
    fingerprint: String,
    lookup_id: Option<String>,
    batch_id: Option<String>,
    outcome: Option<String>,
    seen_times: Option<i64>,
    seen_first: Option<i64>,
}

impl Entry {
    fn read(self) -> Result<EarlierRequest, StoreError> {
        let row = Row {
            table: "idempotency_keys",
            id: &self.id,
        };
        let scope = IdempotencyScope::from_hex(&self.id);
        let fingerprint = RequestFingerprint::from_hex(&self.fingerprint);
        Ok(EarlierRequest {
            scope: scope.ok_or_else(|| row.unreadable("id"))?,
            fingerprint: fingerprint.ok_or_else(|| row.unreadable("fingerprint"))?,
            answer: self.answer(row)?,
        })
    }

    /// The answer; `None` while the request runs.
    fn answer(&self, row: Row<'_>) -> Result<Option<FirstAnswer>, StoreError> {
        if let Some(id) = &self.lookup_id {
            let id = LookupId(row.uuid(id, "lookup_id")?);
            return Ok(Some(FirstAnswer::Lookup(id)));
        }
        if let Some(id) = &self.batch_id {
            let id = BatchId(row.uuid(id, "batch_id")?);
            return Ok(Some(FirstAnswer::Batch(id)));
        }
        let Some(outcome) = &self.outcome else {
            return Ok(None);
        };
        let outcome = Outcome::from_name(outcome);
        let first = row.optional_instant(self.seen_first, "seen_first")?;
        let seen = self.seen_times.map(|times| {
            let times = row.count(times, "seen_times")?;
            Ok(EarlierDeliveries { times, first })
        });
        Ok(Some(FirstAnswer::Immediate {
            outcome: outcome.ok_or_else(|| row.unreadable("outcome"))?,
            seen: seen.transpose()?,
        }))
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
        let entries = self.in_time(async { self.earlier(scopes, now).await.map_err(failed) });
        let mut entries = entries
            .await?
            .into_iter()
            .map(Entry::read)
            .collect::<Result<Vec<_>, _>>()?;
        let place = |entry: &EarlierRequest| scopes.iter().position(|it| *it == entry.scope);
        entries.sort_by_key(place);
        Ok(entries.into_iter().next())
    }

    async fn claim_scope(&self, claim: &NewClaim, now: DateTime<Utc>) -> Result<bool, StoreError> {
        let values = [
            claim.request.scope.hex().into(),
            claim.request.fingerprint.hex().into(),
            claim.token.to_string().into(),
            claim.until.timestamp_millis().into(),
            claim.expires_at.timestamp_millis().into(),
            now.timestamp_millis().into(),
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
        let values = [claim.scope.hex().into(), claim.token.to_string().into()];
        self.changes_one(RELEASE, values.into()).await.map(drop)
    }

    async fn prune_idempotency(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        self.check_files()?;
        self.prune_table(&IDEMPOTENCY_KEYS, before).await
    }
}

impl Store {
    /// Valid entries of these scopes: answered, or with a claim that hasn't lapsed.
    async fn earlier(
        &self,
        scopes: &[IdempotencyScope],
        now: DateTime<Utc>,
    ) -> Result<Vec<Entry>, DbErr> {
        let places: Vec<_> = (2..2 + scopes.len())
            .map(|place| format!("${place}"))
            .collect();
        let sql = format!(
            "SELECT id, fingerprint, lookup_id, batch_id, outcome, seen_times, seen_first \
             FROM idempotency_keys WHERE id IN ({}) AND expires_at > $1 AND \
             (lookup_id IS NOT NULL OR batch_id IS NOT NULL OR outcome IS NOT NULL \
             OR claimed_until > $1)",
            places.join(", ")
        );
        let ids = scopes.iter().map(|scope| Value::from(scope.hex()));
        let values: Vec<_> = std::iter::once(now.timestamp_millis().into())
            .chain(ids)
            .collect();
        let backend = self.connection.get_database_backend();
        let query = Statement::from_sql_and_values(backend, sql, values);
        Entry::find_by_statement(query).all(&self.connection).await
    }

    /// Executes a statement that changes one row at most; returns `true` if it did.
    async fn changes_one(&self, sql: &str, values: Vec<Value>) -> Result<bool, StoreError> {
        let backend = self.connection.get_database_backend();
        let statement = Statement::from_sql_and_values(backend, sql, values);
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
    let backend = connection.get_database_backend();
    let values = recorded(claim, answer);
    let statement = Statement::from_sql_and_values(backend, RECORD, values);
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
        FirstAnswer::Lookup(id) => lookup = Some(id.to_string()),
        FirstAnswer::Batch(id) => batch = Some(id.to_string()),
        FirstAnswer::Immediate {
            outcome: of,
            seen: earlier,
        } => {
            outcome = Some(of.name().to_owned());
            seen = earlier;
        }
    }
    let first = seen.and_then(|seen| seen.first);
    vec![
        claim.scope.hex().into(),
        claim.token.to_string().into(),
        lookup.into(),
        outcome.into(),
        seen.map(|seen| stored(seen.times)).into(),
        first.map(|first| first.timestamp_millis()).into(),
        batch.into(),
    ]
}
