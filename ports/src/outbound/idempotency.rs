//! Port: requests that carried an idempotency key.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::idempotency::{FirstAnswer, IdempotencyScope, RepeatableRequest, RequestFingerprint};
use uuid::Uuid;

use super::StoreError;

/// Port: the store of requests with an idempotency key. Every method is one atomic step.
///
/// A request claims its scope while it runs. An entry whose key expired, and one without an answer
/// whose claim ended, is as if it weren't there.
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// The entry of one of these scopes; the first, when several have one.
    async fn earlier_request(
        &self,
        scopes: &[IdempotencyScope],
        now: DateTime<Utc>,
    ) -> Result<Option<EarlierRequest>, StoreError>;

    /// Claims a scope. Returns `false`, and changes nothing, when it has an entry.
    async fn claim_scope(&self, claim: &NewClaim, now: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Records the answer to the request that holds a claim. Returns `false`, and changes nothing, if it
    /// isn't held any more, or an answer is recorded.
    async fn record_answer(
        &self,
        claim: ScopeClaim,
        answer: FirstAnswer,
    ) -> Result<bool, StoreError>;

    /// Removes the entry that was made with a claim, and its answer, so that a repeated request is a new
    /// one.
    async fn release_scope(&self, claim: ScopeClaim) -> Result<(), StoreError>;

    /// Removes entries whose keys expired before an instant; returns their number.
    async fn prune_idempotency(&self, before: DateTime<Utc>) -> Result<u64, StoreError>;
}

/// A claim of a scope. It is held until another one takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeClaim {
    /// The scope.
    pub scope: IdempotencyScope,
    /// Its name, which no other claim has.
    pub token: Uuid,
}

/// A claim to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewClaim {
    /// Scope and fingerprint of the request.
    pub request: RepeatableRequest,
    /// The name of the claim.
    pub token: Uuid,
    /// End of the claim.
    pub until: DateTime<Utc>,
    /// The instant at which the key expires.
    pub expires_at: DateTime<Utc>,
}

/// An earlier request with the same idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierRequest {
    /// The scope that it was recorded with.
    pub scope: IdempotencyScope,
    /// Its fingerprint.
    pub fingerprint: RequestFingerprint,
    /// Its answer; `None` while it runs.
    pub answer: Option<FirstAnswer>,
}
