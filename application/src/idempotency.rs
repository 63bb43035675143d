//! Idempotency keys: recognises repeated requests, and stores the first request's answer.

use std::sync::Arc;
use std::time::Duration;

use crate::admission::AdmissionError;
use crate::proofs::RepeatError;
use domain::idempotency::{
    CLAIM, FirstAnswer, IdempotencyKey, IdempotencySecrets, RepeatableRequest, expiry,
};
use domain::keys::{CountedKey, KeyId};
use domain::limits::rate::Rate;
use domain::outcome::Endpoint;
use ports::outbound::{
    Clock, EarlierRequest, IdempotencyStore, NewClaim, Random, ScopeClaim, StoreError, new_id,
};

use crate::sync::buckets::Buckets;

/// Maximum number of repeated requests a minute of an API key; they aren't charged.
const REPEATS_PER_MINUTE: u32 = 600;
/// `Retry-After` while the first request runs.
const RUNNING: Duration = Duration::from_secs(1);
/// `Retry-After` while the store fails.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Recognises repeated requests with idempotency keys.
pub struct IdempotencyService {
    store: Arc<dyn IdempotencyStore>,
    secrets: IdempotencySecrets,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    repeats: Buckets<KeyId>,
}

/// A request with an idempotency key: scope and fingerprint for each secret; a claim uses the first.
pub(crate) struct KeyedRequest(Vec<RepeatableRequest>);

/// Reason why a request isn't executed.
pub(crate) enum NotBegun {
    Refused(AdmissionError),
    NotRepeated(RepeatError),
}

impl From<StoreError> for NotBegun {
    fn from(error: StoreError) -> Self {
        Self::Refused(AdmissionError::Unavailable {
            retry_after: RETRY_AFTER,
            cause: Arc::new(error),
        })
    }
}

impl IdempotencyService {
    /// Creates a service that uses this store.
    pub fn new(
        store: Arc<dyn IdempotencyStore>,
        secrets: IdempotencySecrets,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        let rate = Rate {
            burst: REPEATS_PER_MINUTE,
            interval: Duration::from_mins(1) / REPEATS_PER_MINUTE,
        };
        Self {
            store,
            secrets,
            clock,
            random,
            repeats: Buckets::new(rate),
        }
    }

    /// A request that is charged to `by`. `content` is its method, path and body, in a canonical form.
    pub(crate) fn request(
        &self,
        by: CountedKey,
        endpoint: Endpoint,
        key: &IdempotencyKey,
        content: &[u8],
    ) -> KeyedRequest {
        KeyedRequest(self.secrets.requests(by.counters, endpoint, key, content))
    }

    /// The answer to the first request, if this one repeats it; `None` if it is the first.
    pub(crate) async fn first_answer(
        &self,
        by: CountedKey,
        request: &KeyedRequest,
    ) -> Result<Option<FirstAnswer>, NotBegun> {
        let scopes: Vec<_> = request.0.iter().map(|it| it.scope).collect();
        let earlier = self.store.earlier_request(&scopes, self.clock.now());
        let Some(earlier) = earlier.await? else {
            return Ok(None);
        };
        self.repeat(by, request, &earlier)
            .map(Some)
            .map_err(NotBegun::NotRepeated)
    }

    fn repeat(
        &self,
        by: CountedKey,
        KeyedRequest(requests): &KeyedRequest,
        earlier: &EarlierRequest,
    ) -> Result<FirstAnswer, RepeatError> {
        let is_same = |request: &RepeatableRequest| {
            (request.scope, request.fingerprint) == (earlier.scope, earlier.fingerprint)
        };
        if !requests.iter().any(is_same) {
            return Err(RepeatError::KeyReused);
        }
        let in_progress = RepeatError::InProgress {
            retry_after: RUNNING,
        };
        let answer = earlier.answer.ok_or(in_progress)?;
        let taken = self.repeats.take(by.id, self.clock.monotonic());
        taken.map_err(|exceeded| RepeatError::TooManyRepeats {
            limit: REPEATS_PER_MINUTE,
            retry_after: exceeded.retry_after,
        })?;
        Ok(answer)
    }

    /// Claims the scope of a first request, until its answer is recorded or the claim is released.
    pub(crate) async fn claim(&self, request: &KeyedRequest) -> Result<ScopeClaim, NotBegun> {
        let now = self.clock.now();
        // Not empty, because there is at least one secret.
        let request = request.0[0];
        let claim = NewClaim {
            request,
            token: new_id(self.clock.as_ref(), self.random.as_ref()),
            until: now + CLAIM,
            expires_at: expiry(now),
        };
        if self.store.claim_scope(&claim, now).await? {
            return Ok(ScopeClaim {
                scope: request.scope,
                token: claim.token,
            });
        }
        // A concurrent request claimed it first.
        Err(NotBegun::NotRepeated(RepeatError::InProgress {
            retry_after: RUNNING,
        }))
    }

    /// Ends a claim: records the answer, or removes the claim, so that a repeated request counts as the
    /// first.
    pub(crate) async fn end(&self, claim: ScopeClaim, answer: Option<FirstAnswer>) {
        let ended = match answer {
            Some(answer) => self.store.record_answer(claim, answer).await.map(drop),
            None => self.store.release_scope(claim).await,
        };
        if let Err(error) = ended {
            tracing::warn!(%error, "the answer to a request with an idempotency key could not be recorded");
        }
    }
}
