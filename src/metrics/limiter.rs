//! Metrics of the rate limiter's calls.

use std::sync::Arc;

use async_trait::async_trait;
use domain::keys::CountedKey;
use domain::limits::LimitStatus;
use domain::month::Month;
use metrics::histogram;
use ports::outbound::{Clock, KeyState, Limiter, LimiterError, Snapshot, Verdict};
use uuid::Uuid;

/// Rate limiter whose calls are measured.
pub(crate) struct MeteredLimiter {
    limiter: Arc<dyn Limiter>,
    clock: Arc<dyn Clock>,
}

impl MeteredLimiter {
    pub(crate) fn new(limiter: Arc<dyn Limiter>, clock: Arc<dyn Clock>) -> Self {
        Self { limiter, clock }
    }

    async fn measured<T>(
        &self,
        operation: &'static str,
        call: impl Future<Output = Result<T, LimiterError>>,
    ) -> Result<T, LimiterError> {
        let started = self.clock.monotonic();
        let result = call.await;
        let duration = self.clock.monotonic().saturating_sub(started);
        let outcome = if result.is_ok() { "ok" } else { "failed" };
        histogram!(
            "cep_limiter_duration_seconds", "operation" => operation, "result" => outcome
        )
        .record(duration);
        result
    }
}

#[async_trait]
impl Limiter for MeteredLimiter {
    async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        self.measured("admit", self.limiter.admit(key)).await
    }

    async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError> {
        self.measured("peek", self.limiter.peek_many(keys)).await
    }

    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError> {
        let call = self.limiter.hydrate(key, snapshot);
        self.measured("hydrate", call).await
    }

    async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError> {
        let call = self.limiter.apply(key, state);
        self.measured("apply", call).await
    }

    async fn forget(&self, key: CountedKey) -> Result<(), LimiterError> {
        self.measured("forget", self.limiter.forget(key)).await
    }

    async fn refund(
        &self,
        key: CountedKey,
        month: Month,
        request: Uuid,
    ) -> Result<(), LimiterError> {
        let call = self.limiter.refund(key, month, request);
        self.measured("refund", call).await
    }
}
