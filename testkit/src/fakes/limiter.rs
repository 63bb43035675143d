//! The limiter of one process, with failures on demand.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::keys::CountedKey;
use domain::limits::LimitStatus;
use domain::month::Month;
use memory::InProcessLimiter;
use ports::outbound::{Clock, KeyState, Limiter, LimiterError, Snapshot, Verdict};
use uuid::Uuid;

use super::{Faults, ManualClock, lock};

/// The limiter of one process with injected faults. It records the changes that it applied.
pub struct FaultyLimiter {
    inner: Arc<InProcessLimiter>,
    faults: Faults,
    applied: Mutex<Vec<(CountedKey, KeyState)>>,
    /// The clock that goes on while a change is applied, and how far.
    delay: Mutex<Option<(Arc<ManualClock>, Duration)>>,
}

impl FaultyLimiter {
    /// A limiter that knows no key.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self::over(Arc::new(InProcessLimiter::new(clock)))
    }

    /// A connection of its own to a limiter.
    pub fn over(inner: Arc<InProcessLimiter>) -> Self {
        Self {
            inner,
            faults: Faults::default(),
            applied: Mutex::default(),
            delay: Mutex::default(),
        }
    }

    /// The limiter itself, without faults.
    pub fn in_process(&self) -> &Arc<InProcessLimiter> {
        &self.inner
    }

    /// Its faults, and the count of its calls.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The changes that it applied, in order.
    pub fn applied(&self) -> Vec<(CountedKey, KeyState)> {
        lock(&self.applied).clone()
    }

    /// Makes every change take so long by a clock from now on.
    pub fn delay_changes(&self, clock: Arc<ManualClock>, time: Duration) {
        *lock(&self.delay) = Some((clock, time));
    }

    async fn call<T>(
        &self,
        method: &'static str,
        call: impl Future<Output = Result<T, LimiterError>>,
    ) -> Result<T, LimiterError> {
        let failed = |cause| LimiterError { cause };
        self.faults.called(method).await.map_err(failed)?;
        let answer = call.await?;
        self.faults.answered(method).map_err(failed)?;
        Ok(answer)
    }
}

#[async_trait]
impl Limiter for FaultyLimiter {
    async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        self.call("admit", self.inner.admit(key)).await
    }

    async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError> {
        self.call("peek", self.inner.peek_many(keys)).await
    }

    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError> {
        self.call("hydrate", self.inner.hydrate(key, snapshot))
            .await
    }

    async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError> {
        let apply = async {
            lock(&self.applied).push((key, state));
            let delay = lock(&self.delay).clone();
            if let Some((clock, time)) = delay {
                clock.advance(time);
                tokio::task::yield_now().await;
            }
            self.inner.apply(key, state).await
        };
        self.call("apply", apply).await
    }

    async fn forget(&self, key: CountedKey) -> Result<(), LimiterError> {
        self.call("forget", self.inner.forget(key)).await
    }

    async fn refund(&self, key: CountedKey, month: Month, id: Uuid) -> Result<(), LimiterError> {
        self.call("refund", self.inner.refund(key, month, id)).await
    }
}
