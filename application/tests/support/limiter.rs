//! A limiter that fails when told to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::key::KeyId;
use domain::limits::LimitStatus;
use domain::month::Month;
use memory::InProcessLimiter;
use ports::outbound::{KeyState, Limiter, LimiterError, Snapshot, Verdict};
use testkit::fakes::ManualClock;
use uuid::Uuid;

/// The limiter of one machine, which can be told to fail, and records the changes that it applied.
pub(crate) struct WatchedLimiter {
    inner: Arc<InProcessLimiter>,
    /// Calls that succeed before the next one fails.
    good_calls: Mutex<Option<usize>>,
    is_down: AtomicBool,
    applied: Mutex<Vec<(KeyId, KeyState)>>,
    /// The clock that goes on while a change is applied, and how far.
    takes: Mutex<Option<(Arc<ManualClock>, Duration)>>,
}

impl WatchedLimiter {
    pub(crate) fn over(inner: Arc<InProcessLimiter>) -> Self {
        Self {
            inner,
            good_calls: Mutex::default(),
            is_down: AtomicBool::new(false),
            applied: Mutex::default(),
            takes: Mutex::default(),
        }
    }

    /// From now on it takes so long by a clock to apply a change.
    pub(crate) fn takes(&self, clock: Arc<ManualClock>, time: Duration) {
        *self.takes.lock().unwrap() = Some((clock, time));
    }

    /// Fails once, after this many more calls.
    pub(crate) fn fail_once_after(&self, calls: usize) {
        *self.good_calls.lock().unwrap() = Some(calls);
    }

    /// From now on it fails.
    pub(crate) fn fail(&self) {
        self.is_down.store(true, Ordering::SeqCst);
    }

    pub(crate) fn work(&self) {
        self.is_down.store(false, Ordering::SeqCst);
    }

    /// The changes that it applied.
    pub(crate) fn applied(&self) -> Vec<(KeyId, KeyState)> {
        self.applied.lock().unwrap().clone()
    }

    fn answer(&self) -> Result<(), LimiterError> {
        let mut good_calls = self.good_calls.lock().unwrap();
        let left = *good_calls;
        *good_calls = left.and_then(|left| left.checked_sub(1));
        if left != Some(0) && !self.is_down.load(Ordering::SeqCst) {
            return Ok(());
        }
        let cause = Arc::new(std::io::Error::other("the limiter is down"));
        Err(LimiterError { cause })
    }
}

#[async_trait]
impl Limiter for WatchedLimiter {
    async fn admit(&self, key: KeyId) -> Result<Verdict, LimiterError> {
        self.answer()?;
        self.inner.admit(key).await
    }

    async fn peek(&self, key: KeyId) -> Result<Option<LimitStatus>, LimiterError> {
        self.answer()?;
        self.inner.peek(key).await
    }

    async fn hydrate(&self, key: KeyId, snapshot: Snapshot) -> Result<(), LimiterError> {
        self.answer()?;
        self.inner.hydrate(key, snapshot).await
    }

    async fn apply(&self, key: KeyId, state: KeyState) -> Result<(), LimiterError> {
        self.answer()?;
        self.applied.lock().unwrap().push((key, state));
        let takes = self.takes.lock().unwrap().clone();
        if let Some((clock, time)) = takes {
            clock.advance(time);
            tokio::task::yield_now().await;
        }
        self.inner.apply(key, state).await
    }

    async fn forget(&self, key: KeyId) -> Result<(), LimiterError> {
        self.answer()?;
        self.inner.forget(key).await
    }

    async fn refund(&self, key: KeyId, month: Month, request: Uuid) -> Result<(), LimiterError> {
        self.answer()?;
        self.inner.refund(key, month, request).await
    }
}
