//! Metrics of the rate limiter's calls.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::keys::CountedKey;
use domain::limits::LimitStatus;
use domain::month::Month;
use ports::outbound::{Clock, KeyState, Limiter, LimiterError, Snapshot, Verdict};
use uuid::Uuid;

use super::{LazyHistogram, Metrics, names};

/// Rate limiter whose calls are measured.
pub(crate) struct MeteredLimiter {
    limiter: Arc<dyn Limiter>,
    clock: Arc<dyn Clock>,
    admit: Calls,
    peek: Calls,
    hydrate: Calls,
    apply: Calls,
    forget: Calls,
    refund: Calls,
}

/// Durations of one operation's calls.
struct Calls {
    ok: LazyHistogram,
    failed: LazyHistogram,
}

impl Calls {
    fn record<T>(&self, result: &Result<T, LimiterError>, duration: Duration) {
        match result {
            Ok(_) => self.ok.record(duration),
            Err(_) => self.failed.record(duration),
        }
    }
}

impl MeteredLimiter {
    pub(crate) fn new(
        metrics: &Arc<Metrics>,
        limiter: Arc<dyn Limiter>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let calls = |operation| {
            let of = |result| {
                let labels = [("operation", operation), ("result", result)];
                metrics.histogram(&names::LIMITER_DURATION, &labels)
            };
            Calls {
                ok: of("ok"),
                failed: of("failed"),
            }
        };
        Self {
            limiter,
            clock,
            admit: calls("admit"),
            peek: calls("peek"),
            hydrate: calls("hydrate"),
            apply: calls("apply"),
            forget: calls("forget"),
            refund: calls("refund"),
        }
    }

    async fn measured<T>(
        &self,
        calls: &Calls,
        call: impl Future<Output = Result<T, LimiterError>>,
    ) -> Result<T, LimiterError> {
        let started = self.clock.monotonic();
        let result = call.await;
        calls.record(&result, self.clock.monotonic().saturating_sub(started));
        result
    }
}

#[async_trait]
impl Limiter for MeteredLimiter {
    async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        self.measured(&self.admit, self.limiter.admit(key)).await
    }

    async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError> {
        self.measured(&self.peek, self.limiter.peek_many(keys))
            .await
    }

    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError> {
        let call = self.limiter.hydrate(key, snapshot);
        self.measured(&self.hydrate, call).await
    }

    async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError> {
        let call = self.limiter.apply(key, state);
        self.measured(&self.apply, call).await
    }

    async fn forget(&self, key: CountedKey) -> Result<(), LimiterError> {
        self.measured(&self.forget, self.limiter.forget(key)).await
    }

    async fn refund(
        &self,
        key: CountedKey,
        month: Month,
        request: Uuid,
    ) -> Result<(), LimiterError> {
        let call = self.limiter.refund(key, month, request);
        self.measured(&self.refund, call).await
    }
}
