//! Port: recorded requests with an idempotency key.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::idempotency::{FirstAnswer, IdempotencyScope, RepeatableRequest, RequestFingerprint};
use uuid::Uuid;

use super::StoreError;

/// Port: the store of requests with an idempotency key. Every method is one atomic step.
///
/// A running request holds a claim of its scope. Expired entries count as absent: those whose key expired,
/// and those without an answer whose claim ended.
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// The entry of the first of these scopes that has one.
    async fn earlier_request(
        &self,
        scopes: &[IdempotencyScope],
        now: DateTime<Utc>,
    ) -> Result<Option<EarlierRequest>, StoreError>;

    /// Claims a scope. Returns `false`, and changes nothing, if the scope has an entry.
    async fn claim_scope(&self, claim: &NewClaim, now: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Records the answer to the request that holds a claim. Returns `false`, and changes nothing, if the
    /// claim is lost or an answer is recorded already.
    async fn record_answer(
        &self,
        claim: ScopeClaim,
        answer: FirstAnswer,
    ) -> Result<bool, StoreError>;

    /// Removes the entry of a claim with its answer, so that a repeated request counts as new.
    async fn release_scope(&self, claim: ScopeClaim) -> Result<(), StoreError>;

    /// Removes entries whose keys expired before an instant; returns the number of removed entries.
    async fn prune_idempotency(&self, before: DateTime<Utc>) -> Result<u64, StoreError>;
}

/// A claim of a scope, valid until another claim replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeClaim {
    /// Scope of the idempotency key: API key and path.
    pub scope: IdempotencyScope,
    /// Unique token of the claim.
    pub token: Uuid,
}

/// A new claim of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewClaim {
    /// Scope and fingerprint of the request that makes the claim.
    pub request: RepeatableRequest,
    /// Unique token of the claim.
    pub token: Uuid,
    /// Time at which the claim ends if no answer is recorded.
    pub until: DateTime<Utc>,
    /// Time at which the idempotency key expires.
    pub expires_at: DateTime<Utc>,
}

/// An earlier request with the same idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierRequest {
    /// The scope under which it is recorded.
    pub scope: IdempotencyScope,
    /// Fingerprint of the request's content.
    pub fingerprint: RequestFingerprint,
    /// Recorded answer; `None` while the request runs.
    pub answer: Option<FirstAnswer>,
}
