//! The limiter of one process, with failures on demand.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::key::CountedKey;
use domain::limits::LimitStatus;
use domain::month::Month;
use memory::InProcessLimiter;
use ports::outbound::{Clock, KeyState, Limiter, LimiterError, Snapshot, Verdict};
use uuid::Uuid;

use super::{Faults, ManualClock};

/// The limiter of one process with injected faults. It records the changes that it applied.
pub struct FaultyLimiter {
    inner: InProcessLimiter,
    faults: Faults,
    applied: Mutex<Vec<(CountedKey, KeyState)>>,
    /// The clock that goes on while a change is applied, and how far.
    delay: Mutex<Option<(Arc<ManualClock>, Duration)>>,
}

impl FaultyLimiter {
    /// A limiter that knows no key.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            inner: InProcessLimiter::new(clock),
            faults: Faults::default(),
            applied: Mutex::default(),
            delay: Mutex::default(),
        }
    }

    /// The limiter itself, without faults.
    pub fn in_process(&self) -> &InProcessLimiter {
        &self.inner
    }

    /// Its faults, and the count of its calls.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The changes that it applied, in order.
    pub fn applied(&self) -> Vec<(CountedKey, KeyState)> {
        self.applied.lock().unwrap().clone()
    }

    /// Makes every change take so long by a clock from now on.
    pub fn delay_changes(&self, clock: Arc<ManualClock>, time: Duration) {
        *self.delay.lock().unwrap() = Some((clock, time));
    }

    async fn called(&self, method: &'static str) -> Result<(), LimiterError> {
        let called = self.faults.called(method).await;
        called.map_err(|cause| LimiterError { cause })
    }
}

#[async_trait]
impl Limiter for FaultyLimiter {
    async fn admit(&self, key: CountedKey) -> Result<Verdict, LimiterError> {
        self.called("admit").await?;
        self.inner.admit(key).await
    }

    async fn peek_many(
        &self,
        keys: &[CountedKey],
    ) -> Result<Vec<Option<LimitStatus>>, LimiterError> {
        self.called("peek").await?;
        self.inner.peek_many(keys).await
    }

    async fn hydrate(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), LimiterError> {
        self.called("hydrate").await?;
        self.inner.hydrate(key, snapshot).await
    }

    async fn apply(&self, key: CountedKey, state: KeyState) -> Result<(), LimiterError> {
        self.called("apply").await?;
        self.applied.lock().unwrap().push((key, state));
        let delay = self.delay.lock().unwrap().clone();
        if let Some((clock, time)) = delay {
            clock.advance(time);
            tokio::task::yield_now().await;
        }
        self.inner.apply(key, state).await
    }

    async fn forget(&self, key: CountedKey) -> Result<(), LimiterError> {
        self.called("forget").await?;
        self.inner.forget(key).await
    }

    async fn refund(
        &self,
        key: CountedKey,
        month: Month,
        request: Uuid,
    ) -> Result<(), LimiterError> {
        self.called("refund").await?;
        self.inner.refund(key, month, request).await
    }
}
