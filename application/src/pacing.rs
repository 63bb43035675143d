//! Turns to ask the bank while the shared pacer is down: this process' share of them.
//!
//! The shared pacer gives turns while it answers. When it fails, a pacer of this process gives
//! them, of which each replica has a share of the budget. What either knows the other is told: the
//! own one counts the turns that the shared one gave this process and keeps every back-off that
//! this process hears of; the shared one is told of the turns and the back-off that it missed before
//! it is asked again. So the bank is never asked during a back-off that this process knows of,
//! though the shared pacer were lost with all that it knew.
//!
//! With a budget of N a minute and R replicas, the bank is asked at most N times in any 60 seconds,
//! and at most max(N, R) times more around a change of the mode: what the others got of the shared
//! pacer is not known here. Where the shared pacer loses what it knew without failing, it is at most
//! four times more: turns are evenly spaced before and after, three in quick succession may just
//! have been taken, and a pacer that knows nothing gives the first at once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::{BackOff, BankBudget, MINUTE, Throttled};
use futures::lock::Mutex as AsyncMutex;
use ports::outbound::{AcquireError, Clock, Pacer, PacerError, PacerState};

use crate::breaker::{self, Breaker, Change, Ending, Permit, Transition as Said};

/// A pacer that all replicas share, and a stand-in for the time in which it is down.
pub struct FallbackPacer {
    shared: Arc<dyn Pacer>,
    own: Arc<dyn Pacer>,
    clock: Arc<dyn Clock>,
    breaker: Mutex<Breaker>,
    missed: Mutex<Missed>,
    /// Held while the shared pacer is told, so that nothing is told twice.
    telling: AsyncMutex<()>,
}

/// What the shared pacer has not been told.
#[derive(Debug, Default)]
struct Missed {
    /// Turns of the last minute that the own pacer gave, about in order.
    turns: VecDeque<Duration>,
    /// There may be more than turns: a back-off, or it has lost what it knew.
    outage: bool,
}

impl FallbackPacer {
    /// A pacer over `shared`. `own` is a pacer of this process with its
    /// [share](domain::pacing::Pacing::share_of) of the budget, and used for nothing else.
    pub fn new(shared: Arc<dyn Pacer>, own: Arc<dyn Pacer>, clock: Arc<dyn Clock>) -> Self {
        Self {
            shared,
            own,
            clock,
            breaker: Mutex::default(),
            missed: Mutex::default(),
            telling: AsyncMutex::default(),
        }
    }

    /// Whether this process keeps to its share, because the shared pacer is down.
    pub fn is_degraded(&self) -> bool {
        !self.breaker().is_closed()
    }

    /// Leave to ask the shared pacer, which has been told what it missed; `None` while it is left
    /// alone. What is told is the probe of one that failed: it is quick, where a turn may wait.
    async fn attempt(&self) -> Option<Attempt<'_>> {
        let attempt = self.permit()?;
        if !self.owes() {
            return Some(attempt);
        }
        let _telling = self.telling.lock().await;
        if self.owes() {
            let now = self.clock.monotonic();
            let news = self.news(now).await.ok()?;
            attempt.ended(self.shared.merge(&news).await).ok()?;
            let mut missed = self.missed();
            missed.turns.retain(|given| *given > now);
            missed.outage = false;
        }
        self.permit()
    }

    fn permit(&self) -> Option<Attempt<'_>> {
        let permit = self.breaker().permit(self.clock.monotonic())?;
        Some(Attempt {
            pacer: self,
            permit,
            ending: Ending::Abandoned,
        })
    }

    fn owes(&self) -> bool {
        let missed = self.missed();
        missed.outage || !missed.turns.is_empty()
    }

    /// What the shared pacer has missed.
    async fn news(&self, now: Duration) -> Result<PacerState, PacerError> {
        let paused_for = self.own.budget().await?.paused_for;
        let missed = self.missed();
        let ago = missed.turns.iter().map(|given| now.saturating_sub(*given));
        Ok(PacerState {
            turns: ago.filter(|ago| *ago < MINUTE).collect(),
            paused_for,
        })
    }

    /// Refuses during a back-off that this process knows of. The shared pacer is told of it each
    /// time: it may have lost it, and others ask it who don't know.
    async fn heed_back_off(&self) -> Result<(), AcquireError> {
        let Some(retry_after) = self.own.budget().await?.paused_for else {
            return Ok(());
        };
        if let Some(attempt) = self.permit() {
            let news = PacerState::backing_off(retry_after);
            let _ = attempt.ended(self.shared.merge(&news).await);
        }
        Err(Throttled::BackingOff { retry_after }.into())
    }

    /// A turn of the shared pacer; `None` when it is silent.
    async fn shared_turn(&self, patience: Duration) -> Option<Result<(), AcquireError>> {
        let attempt = self.attempt().await?;
        match self.shared.acquire(patience).await {
            Ok(()) => {
                attempt.end(Ending::Answered);
                Some(self.note_turn().await)
            }
            Err(AcquireError::Refused(refusal)) => {
                attempt.end(Ending::Answered);
                if let Throttled::BackingOff { retry_after } = refusal {
                    self.note_back_off(retry_after).await;
                }
                Some(Err(refusal.into()))
            }
            Err(AcquireError::Failed(error)) => {
                tracing::debug!(%error, "the shared pacer failed");
                attempt.end(Ending::Failed);
                None
            }
        }
    }

    /// The shared pacer gave a turn: it counts here too, unless a back-off is known that the shared
    /// pacer has lost meanwhile.
    async fn note_turn(&self) -> Result<(), AcquireError> {
        self.own.merge(&PacerState::acquired_now()).await?;
        self.heed_back_off().await
    }

    async fn note_back_off(&self, left: Duration) {
        if let Err(error) = self.own.merge(&PacerState::backing_off(left)).await {
            tracing::warn!(%error, "a back-off of the bank could not be remembered here");
        }
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        let breaker = self.breaker.lock();
        breaker.expect("nothing panics while it holds the breaker")
    }

    fn missed(&self) -> MutexGuard<'_, Missed> {
        let missed = self.missed.lock();
        missed.expect("nothing panics while it holds what was missed")
    }
}

#[async_trait]
impl Pacer for FallbackPacer {
    async fn acquire(&self, patience: Duration) -> Result<(), AcquireError> {
        let asked = self.clock.monotonic();
        self.heed_back_off().await?;
        if let Some(answer) = self.shared_turn(patience).await {
            return answer;
        }
        let elapsed = self.clock.monotonic().saturating_sub(asked);
        self.own.acquire(patience.saturating_sub(elapsed)).await?;
        let now = self.clock.monotonic();
        let mut missed = self.missed();
        while missed
            .turns
            .front()
            .is_some_and(|given| *given + MINUTE <= now)
        {
            missed.turns.pop_front();
        }
        missed.turns.push_back(now);
        Ok(())
    }

    async fn record_throttled(&self, under_way: Duration) -> Result<BackOff, PacerError> {
        if let Some(attempt) = self.attempt().await
            && let Ok(back_off) = attempt.ended(self.shared.record_throttled(under_way).await)
        {
            self.note_back_off(back_off.left()).await;
            return Ok(back_off);
        }
        let back_off = self.own.record_throttled(under_way).await?;
        self.missed().outage = true;
        Ok(back_off)
    }

    /// Never fails for the shared pacer's sake: its next back-off is longer than it had to be then.
    async fn record_success(&self, under_way: Duration) -> Result<(), PacerError> {
        if let Some(attempt) = self.attempt().await {
            let _ = attempt.ended(self.shared.record_success(under_way).await);
        }
        self.own.record_success(under_way).await
    }

    async fn merge(&self, news: &PacerState) -> Result<(), PacerError> {
        self.own.merge(news).await?;
        if let Some(attempt) = self.attempt().await
            && attempt.ended(self.shared.merge(news).await).is_ok()
        {
            return Ok(());
        }
        let now = self.clock.monotonic();
        let given = news.turns.iter().map(|ago| now.saturating_sub(*ago));
        let mut missed = self.missed();
        missed.turns.extend(given);
        missed.outage = true;
        Ok(())
    }

    async fn budget(&self) -> Result<BankBudget, PacerError> {
        let own = self.own.budget().await?;
        let Some(attempt) = self.attempt().await else {
            return Ok(own);
        };
        let Ok(shared) = attempt.ended(self.shared.budget().await) else {
            return Ok(own);
        };
        if let Some(left) = shared.paused_for {
            self.note_back_off(left).await;
        }
        Ok(BankBudget {
            paused_for: shared.paused_for.max(own.paused_for),
            ..shared
        })
    }
}

/// One call of the shared pacer. The breaker hears of its end also when nobody waits for it any
/// more.
struct Attempt<'a> {
    pacer: &'a FallbackPacer,
    permit: Permit,
    ending: Ending,
}

impl Attempt<'_> {
    fn end(mut self, ending: Ending) {
        self.ending = ending;
    }

    fn ended<T>(self, result: Result<T, PacerError>) -> Result<T, PacerError> {
        let ending = match &result {
            Ok(_) => Ending::Answered,
            Err(error) => {
                tracing::debug!(%error, "the shared pacer failed");
                Ending::Failed
            }
        };
        self.end(ending);
        result
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let now = self.pacer.clock.monotonic();
        let said = {
            let mut breaker = self.pacer.breaker();
            if breaker.end(self.permit, self.ending, now) == Some(Change::Opened) {
                self.pacer.missed().outage = true;
            }
            breaker.news(now)
        };
        let Some(Said { now, changes }) = said else {
            return;
        };
        match now {
            Change::Opened => tracing::warn!(
                failures = breaker::FAILURES,
                changes,
                "the shared pacer fails: this process asks the bank within its share of the \
                 budget until the shared one answers"
            ),
            Change::Closed => tracing::info!(
                changes,
                "the shared pacer answers again and gives the turns"
            ),
        }
    }
}
