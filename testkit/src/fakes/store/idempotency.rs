//! Requests with an idempotency key.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::idempotency::{FirstAnswer, IdempotencyScope};
use ports::outbound::{EarlierRequest, IdempotencyStore, NewClaim, ScopeClaim};

use super::{MemoryStore, Result, Tables, broken, prune};

/// A request with an idempotency key.
#[derive(Debug)]
pub(super) struct KeptRequest {
    claim: NewClaim,
    answer: Option<FirstAnswer>,
}

impl KeptRequest {
    /// Returns `false` if it is as if it weren't there.
    fn is_there(&self, now: DateTime<Utc>) -> bool {
        let is_running = self.answer.is_none() && self.claim.until > now;
        self.claim.expires_at > now && (is_running || self.answer.is_some())
    }
}

impl Tables {
    /// Records an answer to the request that holds a claim; returns `false` if it doesn't any more.
    fn answer(&mut self, claim: ScopeClaim, answer: FirstAnswer) -> bool {
        let kept = self.idempotency.get_mut(&claim.scope);
        let held = kept.filter(|it| it.answer.is_none() && it.claim.token == claim.token);
        let Some(kept) = held else { return false };
        kept.answer = Some(answer);
        true
    }

    /// # Errors
    /// Fails when the request has a claim, and doesn't hold it any more.
    pub(super) fn answer_first(
        &mut self,
        claim: Option<ScopeClaim>,
        answer: FirstAnswer,
    ) -> Result<()> {
        if claim.is_none_or(|claim| self.answer(claim, answer)) {
            return Ok(());
        }
        Err(broken(
            "the claim of an idempotency key is not held any more",
        ))
    }
}

#[async_trait]
impl IdempotencyStore for MemoryStore {
    async fn earlier_request(
        &self,
        scopes: &[IdempotencyScope],
        now: DateTime<Utc>,
    ) -> Result<Option<EarlierRequest>> {
        let tables = self.call("earlier_request").await?;
        let found = scopes.iter().filter_map(|scope| {
            let kept = tables.idempotency.get(scope)?;
            kept.is_there(now).then_some(EarlierRequest {
                scope: *scope,
                fingerprint: kept.claim.request.fingerprint,
                answer: kept.answer,
            })
        });
        Ok({ found }.next())
    }

    async fn claim_scope(&self, claim: &NewClaim, now: DateTime<Utc>) -> Result<bool> {
        let requests = &mut self.call("claim_scope").await?.idempotency;
        let scope = claim.request.scope;
        if requests.get(&scope).is_some_and(|kept| kept.is_there(now)) {
            return Ok(false);
        }
        let kept = KeptRequest {
            claim: *claim,
            answer: None,
        };
        requests.insert(scope, kept);
        Ok(true)
    }

    async fn record_answer(&self, claim: ScopeClaim, answer: FirstAnswer) -> Result<bool> {
        Ok(self.call("record_answer").await?.answer(claim, answer))
    }

    async fn release_scope(&self, claim: ScopeClaim) -> Result<()> {
        let requests = &mut self.call("release_scope").await?.idempotency;
        let kept = requests.get(&claim.scope);
        if kept.is_some_and(|it| it.claim.token == claim.token) {
            requests.remove(&claim.scope);
        }
        Ok(())
    }

    async fn prune_idempotency(&self, before: DateTime<Utc>) -> Result<u64> {
        let requests = &mut self.call("prune_idempotency").await?.idempotency;
        Ok(prune(requests, |kept| kept.claim.expires_at >= before))
    }
}
