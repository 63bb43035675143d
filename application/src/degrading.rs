//! Limits while the shared limiter is down: kept without it, never open.
//!
//! The shared limiter decides while it answers. When it fails, a request is decided here: its
//! key's status, limits and use are read from the store, the minute is kept by a limiter of this
//! process with this replica's share of the limit, and the month is charged in the store, by a
//! change that its quota is the condition of. When the store fails too, there is no verdict.
//!
//! What may be admitted, with a limit of L a minute, a quota of Q and R replicas:
//!
//! - In any 60 seconds: L, and max(L, R) more around a change of the mode, because the shared
//!   window and the own ones don't know of each other.
//! - In a month, while the shared limiter is down for all replicas: Q. What journals had accepted but
//!   not written when it failed (requests that were being answered, a few milliseconds' worth) comes
//!   on top: the store didn't have it yet when it was asked.
//! - In a month, with replicas that are cut off alone: they charge the store, where the shared limiter
//!   doesn't look, and the others charge the shared limiter, which is told what the store has by the
//!   [`Reconciliation`](crate::Reconciliation). Until the round after the others ask for a key again,
//!   they may admit what was charged without them, and never more than L, for that is within a
//!   minute: Q and min(L, what was charged alone) in all.
//!
//! Each process tells the shared limiter what the store has of a key before the key's first request
//! of its life: what was missed before it began, it doesn't know of.
//!
//! A call that failed may have counted all the same; it is not tried again. When the request is
//! admitted here, the store counts it too, so both have it and merge it as one; when it is refused
//! here, or the store fails, it costs its key a unit of the month.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use domain::key::KeyId;
use domain::limits::LimitStatus;
use domain::month::Month;
use ports::outbound::{
    Clock, KeyState, KeyStore, Limiter, LimiterError, Snapshot, StoreError, Verdict,
};
use uuid::Uuid;

use crate::breaker::{self, Breaker, Change, Ending, Permit, Transition};
use active::Active;
use debts::ResyncTracker;
use stand_in::{LocalFallback, no_store};
use turns::Turns;

pub(crate) use active::Said;

mod active;
mod debts;
mod stand_in;
mod turns;

/// Who keeps the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimiterMode {
    /// The limiter that all replicas share.
    Shared,
    /// This process, for the shared one is down.
    Degraded,
}

/// A limiter that all replicas share, and a stand-in for the time in which it is down.
pub struct FallbackLimiter {
    shared: Arc<dyn Limiter>,
    stand_in: LocalFallback,
    keys: Arc<dyn KeyStore>,
    clock: Arc<dyn Clock>,
    breaker: Mutex<Breaker>,
    debts: Mutex<ResyncTracker>,
    active: Mutex<Active>,
    /// A key has its turn while it is told, so that a burst on it reads it once.
    tellings: Turns,
}

/// What became of a question to the shared limiter.
enum Shared<T> {
    Answered(T),
    /// It is left alone, or it failed.
    Silent,
    /// The store has no such key.
    Unknown(Month),
}

/// Nobody tells the shared limiter anything now, for it fails.
#[derive(Debug)]
pub(crate) struct LeftAlone;

/// Why the shared limiter wasn't told of a key.
enum Unsettled {
    /// The store has no such key.
    Gone,
    Store(StoreError),
    Shared(LimiterError),
}

impl FallbackLimiter {
    /// A limiter over `shared`, one of `replicas` processes that share it. `own` is a limiter of
    /// this process, empty, and used for nothing else.
    pub fn new(
        shared: Arc<dyn Limiter>,
        own: Arc<dyn Limiter>,
        keys: Arc<dyn KeyStore>,
        clock: Arc<dyn Clock>,
        replicas: NonZeroU32,
    ) -> Self {
        let stand_in = LocalFallback::new(own, Arc::clone(&keys), Arc::clone(&clock), replicas);
        Self {
            shared,
            stand_in,
            keys,
            clock,
            breaker: Mutex::default(),
            debts: Mutex::default(),
            active: Mutex::default(),
            tellings: Turns::default(),
        }
    }

    /// Who keeps the limits now.
    pub fn mode(&self) -> LimiterMode {
        if self.breaker().is_closed() {
            LimiterMode::Shared
        } else {
            LimiterMode::Degraded
        }
    }

    /// Tries the shared limiter until it answers or is left alone, so that whoever begins knows and
    /// says whether it works. Reads nothing from the store.
    pub async fn begin(&self) {
        while let Some(attempt) = self.attempt() {
            if attempt
                .ended(self.shared.peek(KeyId(Uuid::nil())).await)
                .is_ok()
            {
                break;
            }
        }
    }

    /// Who keeps the limits, once the shared limiter was tried if it is time to. Reads nothing from
    /// the store.
    pub(crate) async fn probe(&self) -> LimiterMode {
        if let Some(attempt) = self.attempt() {
            // No key has this id; whether it answers is what counts.
            let _ = attempt.ended(self.shared.peek(KeyId(Uuid::nil())).await);
        }
        self.mode()
    }

    /// Asks the shared limiter about a key, which is told what it missed of it before.
    async fn ask<T>(
        &self,
        key: KeyId,
        question: impl Future<Output = Result<T, LimiterError>>,
    ) -> Result<Shared<T>, LimiterError> {
        let Some(attempt) = self.attempt() else {
            return Ok(Shared::Silent);
        };
        let asked = match self.settle(key).await {
            Ok(()) => question.await,
            Err(Unsettled::Gone) => return Ok(Shared::Unknown(self.month())),
            Err(Unsettled::Store(error)) => {
                self.debts().prolong(self.clock.monotonic());
                return Err(no_store(error));
            }
            Err(Unsettled::Shared(error)) => Err(error),
        };
        Ok(match attempt.ended(asked) {
            Ok(answer) => Shared::Answered(answer),
            Err(_) => Shared::Silent,
        })
    }

    /// Tells the shared limiter what it missed of a key, if it did.
    async fn settle(&self, key: KeyId) -> Result<(), Unsettled> {
        let owes = || self.debts().of(key, self.clock.monotonic());
        if owes().is_none() {
            return Ok(());
        }
        let _telling = self.tellings.of(key).await;
        let Some(debt) = owes() else {
            return Ok(());
        };
        let known = self.shared.peek(key).await.map_err(Unsettled::Shared)?;
        // It says that it doesn't know the key, and whoever asked tells it, or that the key is
        // revoked. A known key alone hears of every change, also of one after our reading.
        let Some(known) = known else {
            return Ok(());
        };
        // Its month, for our clock may show another one.
        let month = known.month.map(|month| month.month());
        let month = month.unwrap_or_else(|| self.month());
        let snapshot = self.keys.snapshot(key, month).await;
        let snapshot = snapshot.map_err(Unsettled::Store)?;
        let snapshot = snapshot.ok_or(Unsettled::Gone)?;
        let told = self.shared.hydrate(key, snapshot).await;
        told.map_err(Unsettled::Shared)?;
        self.debts().settle(key, debt);
        Ok(())
    }

    /// Tells the shared limiter what the store has of a key that it knows.
    pub(crate) async fn remind(&self, key: KeyId, snapshot: Snapshot) -> Result<(), LeftAlone> {
        // No probe: whoever waits for a verdict finds out sooner whether it is back.
        if self.mode() == LimiterMode::Degraded {
            return Err(LeftAlone);
        }
        let attempt = self.attempt().ok_or(LeftAlone)?;
        let told = attempt.ended(self.shared.hydrate(key, snapshot).await);
        told.map_err(|_| LeftAlone)
    }

    /// Admits without the shared limiter.
    async fn admit_here(&self, key: KeyId) -> Result<Verdict, LimiterError> {
        // Before, for whoever asks may hang up once the store has counted; and after, for whoever
        // settles meanwhile may have read the store before it counted.
        self.debts().owe(key);
        let verdict = self.stand_in.admit(key, self.month()).await;
        self.debts().owe(key);
        verdict
    }

    /// Leave to ask the shared limiter; `None` while it is left alone.
    fn attempt(&self) -> Option<Attempt<'_>> {
        let permit = self.breaker().permit(self.clock.monotonic())?;
        Some(Attempt {
            limiter: self,
            permit,
            ending: Ending::Abandoned,
            failure: None,
        })
    }

    /// Has the shared limiter do something that must reach it, even while it is left alone.
    async fn insist(
        &self,
        deed: impl Future<Output = Result<(), LimiterError>>,
    ) -> Result<(), LimiterError> {
        match self.attempt() {
            Some(attempt) => attempt.ended(deed.await),
            None => deed.await,
        }
    }

    fn month(&self) -> Month {
        self.debts().month(self.clock.now())
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        let breaker = self.breaker.lock();
        breaker.expect("nothing panics while it holds the breaker")
    }

    /// The keys that the shared limiter decided about.
    pub(crate) fn active(&self) -> MutexGuard<'_, Active> {
        let active = self.active.lock();
        active.expect("nothing panics while it holds the active keys")
    }

    fn debts(&self) -> MutexGuard<'_, ResyncTracker> {
        let debts = self.debts.lock();
        debts.expect("nothing panics while it holds the debts")
    }
}

/// One call of the shared limiter. The breaker hears of its end also when nobody waits for it any
/// more.
struct Attempt<'a> {
    limiter: &'a FallbackLimiter,
    permit: Permit,
    ending: Ending,
    failure: Option<LimiterError>,
}

impl Attempt<'_> {
    fn ended<T>(mut self, result: Result<T, LimiterError>) -> Result<T, LimiterError> {
        self.ending = match &result {
            Ok(_) => Ending::Answered,
            Err(error) => {
                tracing::debug!(%error, "the shared limiter failed");
                self.failure = Some(error.clone());
                Ending::Failed
            }
        };
        result
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let now = self.limiter.clock.monotonic();
        let news = {
            let mut breaker = self.limiter.breaker();
            let change = breaker.end(self.permit, self.ending, now);
            // The debts change before anybody sees the new mode.
            match change {
                Some(Change::Opened) => self.limiter.debts().begin_outage(now),
                Some(Change::Closed) => self.limiter.debts().end_outage(now),
                // What answers next may be another server, one that took over and had not heard of
                // every count and revocation; a failure is all that is seen of it.
                None if self.ending == Ending::Failed => self.limiter.debts().miss(now),
                None => {}
            }
            breaker.news(now)
        };
        let Some(Transition { now, changes }) = news else {
            return;
        };
        match now {
            Change::Opened => tracing::warn!(
                failures = breaker::FAILURES,
                changes,
                error = self.failure.as_ref().map(tracing::field::display),
                "the shared limiter fails: this process keeps limits on its own, with its share of \
                 each minute, until the shared one answers"
            ),
            Change::Closed => tracing::info!(
                changes,
                "the shared limiter answers again and keeps the limits"
            ),
        }
    }
}

#[async_trait]
impl Limiter for FallbackLimiter {
    async fn admit(&self, key: KeyId) -> Result<Verdict, LimiterError> {
        match self.ask(key, self.shared.admit(key)).await? {
            Shared::Answered(verdict) => {
                self.active().note(key, &verdict);
                if verdict == Verdict::Revoked {
                    // There is nothing to tell of it any more.
                    self.debts().introduce(key);
                }
                Ok(verdict)
            }
            Shared::Unknown(month) => Ok(Verdict::Unknown { month }),
            Shared::Silent => self.admit_here(key).await,
        }
    }

    async fn peek(&self, key: KeyId) -> Result<Option<LimitStatus>, LimiterError> {
        match self.ask(key, self.shared.peek(key)).await? {
            Shared::Answered(limit_status) => Ok(limit_status),
            Shared::Unknown(_) => Ok(None),
            Shared::Silent => self.stand_in.peek(key, self.month()).await,
        }
    }

    async fn hydrate(&self, key: KeyId, snapshot: Snapshot) -> Result<(), LimiterError> {
        self.insist(self.shared.hydrate(key, snapshot)).await?;
        self.debts().introduce(key);
        Ok(())
    }

    async fn apply(&self, key: KeyId, state: KeyState) -> Result<(), LimiterError> {
        self.stand_in.apply(key, state).await?;
        let applied = self.insist(self.shared.apply(key, state)).await;
        if applied.is_err() {
            self.debts().miss(self.clock.monotonic());
        }
        applied
    }

    /// The own limiter forgets nothing: it is told of a key before each use, and its minute counts.
    async fn forget(&self, key: KeyId) -> Result<(), LimiterError> {
        self.insist(self.shared.forget(key)).await
    }

    /// Never fails: a refund that the shared limiter misses reaches it from the store, with the
    /// next telling of the key.
    async fn refund(&self, key: KeyId, month: Month, request: Uuid) -> Result<(), LimiterError> {
        let owes = self.debts().of(key, self.clock.monotonic()).is_some();
        // While the shared limiter doesn't have all that was charged, it must not give back.
        if !owes
            && let Some(attempt) = self.attempt()
            && let Ok(()) = attempt.ended(self.shared.refund(key, month, request).await)
        {
            return Ok(());
        }
        self.debts().owe(key);
        Ok(())
    }
}
