//! Pacing of queries during an outage of the shared pacer.
//!
//! While the shared pacer answers, it grants the turns. When it fails, the local pacer grants them, within
//! this replica's share of the budget. Both are kept in sync: the local pacer counts the turns that the
//! shared one granted to this process, and keeps every back-off that this process learns of. Before the
//! shared pacer is used again, it is given the turns and the back-off that it missed. So the bank is never
//! queried during a back-off that this process knows of, even if the shared pacer loses its state.
//!
//! With a budget of N a minute and R replicas, the bank is queried at most N times in any 60 seconds, and at
//! most max(N, R) times more around a change of the mode, because this process doesn't know the turns that
//! the shared pacer gave to other replicas. If the shared pacer loses its state without an outage, there are
//! at most four queries more: turns are evenly spaced before and after, up to three may just have been
//! granted in quick succession, and a pacer without state grants the first turn at once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::{BackOff, BankBudget, Lane, Throttled, WINDOW};
use futures::lock::Mutex as AsyncMutex;
use ports::outbound::{AcquireError, Clock, Pacer, PacerError, PacerState};

use crate::sync::circuit::{Call, Circuit, Service};

const SHARED: Service = Service {
    name: "pacer",
    fails: "the shared pacer fails: this process asks the bank within its share of the budget until the \
            shared one answers",
    answers: "the shared pacer answers again and grants the slots",
};

/// A pacer that all replicas share, with a local fallback during its outages.
pub struct FallbackPacer {
    shared: Arc<dyn Pacer>,
    local: Arc<dyn Pacer>,
    clock: Arc<dyn Clock>,
    circuit: Circuit,
    unmerged: Arc<Mutex<Unmerged>>,
    /// Locked while the shared pacer merges, so that no turn is merged twice.
    merging: AsyncMutex<()>,
}

/// State that the shared pacer hasn't merged yet.
#[derive(Debug, Default)]
struct Unmerged {
    /// Times of turns in the last minute that the local pacer granted, approximately in order.
    slots: VecDeque<Duration>,
    /// `true` if the shared pacer may lack more than turns: a back-off, or all its state.
    outage: bool,
}

impl Unmerged {
    fn is_empty(&self) -> bool {
        !self.outage && self.slots.is_empty()
    }
}

impl FallbackPacer {
    /// Creates a pacer that uses `shared`, and `local` as the fallback: a pacer with this process's
    /// [share](domain::pacing::Pacing::share_of) of the budget, which isn't used elsewhere.
    pub fn new(shared: Arc<dyn Pacer>, local: Arc<dyn Pacer>, clock: Arc<dyn Clock>) -> Self {
        let unmerged = Arc::<Mutex<Unmerged>>::default();
        let failing = Arc::clone(&unmerged);
        let circuit = Circuit::new(SHARED, Arc::clone(&clock))
            .on_failure(move |_| lock(&failing).outage = true);
        Self {
            shared,
            local,
            clock,
            circuit,
            unmerged,
            merging: AsyncMutex::default(),
        }
    }

    /// Returns `true` while the shared pacer is down and this process uses its share of the budget.
    pub fn is_degraded(&self) -> bool {
        self.circuit.is_open()
    }

    /// Begins a call of the shared pacer after it has merged what it missed; `None` while the circuit is
    /// open. The merge serves as the probe of an open circuit, because it answers at once, whereas acquiring
    /// a turn may have to wait.
    async fn begin_merged_call(&self) -> Option<Call<'_>> {
        let call = self.circuit.begin_call()?;
        if self.unmerged().is_empty() {
            return Some(call);
        }
        let _merging = self.merging.lock().await;
        if !self.unmerged().is_empty() {
            let now = self.clock.monotonic();
            let state = self.unmerged_state(now).await.ok()?;
            call.end(self.shared.merge(&state).await).ok()?;
            let mut unmerged = self.unmerged();
            unmerged.slots.retain(|granted_at| *granted_at > now);
            unmerged.outage = false;
        }
        self.circuit.begin_call()
    }

    /// The state that the shared pacer has to merge, as of `now`.
    async fn unmerged_state(&self, now: Duration) -> Result<PacerState, PacerError> {
        let paused_for = self.local.budget().await?.paused_for;
        let unmerged = self.unmerged();
        let ages = unmerged.slots.iter();
        let ages = ages.map(|granted_at| now.saturating_sub(*granted_at));
        Ok(PacerState {
            turns: ages.filter(|age| *age < WINDOW).collect(),
            paused_for,
        })
    }

    /// Refuses during a back-off that this process knows of. The shared pacer merges the back-off each time,
    /// because it may have lost it, and replicas that don't know of it rely on the shared pacer.
    async fn check_back_off(&self) -> Result<(), AcquireError> {
        let Some(retry_after) = self.local.budget().await?.paused_for else {
            return Ok(());
        };
        if let Some(call) = self.circuit.begin_call() {
            let state = PacerState::backing_off(retry_after);
            let _ = call.end(self.shared.merge(&state).await);
        }
        Err(Throttled::BackingOff { retry_after }.into())
    }

    /// Acquires a turn of the shared pacer; `None` if it fails or the circuit is open.
    async fn acquire_shared(
        &self,
        lane: Lane,
        patience: Duration,
    ) -> Option<Result<(), AcquireError>> {
        let call = self.begin_merged_call().await?;
        match self.shared.acquire(lane, patience).await {
            Ok(()) => {
                call.succeed();
                Some(self.count_locally().await)
            }
            Err(AcquireError::Refused(refusal)) => {
                call.succeed();
                if let Throttled::BackingOff { retry_after } = refusal {
                    self.back_off_locally(retry_after).await;
                }
                Some(Err(refusal.into()))
            }
            Err(AcquireError::Failed(error)) => {
                call.fail(&error);
                None
            }
        }
    }

    /// Counts a turn of the shared pacer in the local one. Refuses it if this process knows of a back-off
    /// that the shared pacer has lost.
    async fn count_locally(&self) -> Result<(), AcquireError> {
        self.local.merge(&PacerState::acquired_now()).await?;
        self.check_back_off().await
    }

    async fn back_off_locally(&self, left: Duration) {
        if let Err(error) = self.local.merge(&PacerState::backing_off(left)).await {
            tracing::warn!(%error, "a back-off of the bank could not be remembered here");
        }
    }

    fn unmerged(&self) -> MutexGuard<'_, Unmerged> {
        lock(&self.unmerged)
    }
}

fn lock(unmerged: &Mutex<Unmerged>) -> MutexGuard<'_, Unmerged> {
    let unmerged = unmerged.lock();
    unmerged.expect("nothing panics while it holds the unmerged state")
}

#[async_trait]
impl Pacer for FallbackPacer {
    async fn acquire(&self, lane: Lane, patience: Duration) -> Result<(), AcquireError> {
        let started = self.clock.monotonic();
        self.check_back_off().await?;
        if let Some(result) = self.acquire_shared(lane, patience).await {
            return result;
        }
        let elapsed = self.clock.monotonic().saturating_sub(started);
        let left = patience.saturating_sub(elapsed);
        self.local.acquire(lane, left).await?;
        let now = self.clock.monotonic();
        let slots = &mut self.unmerged().slots;
        while slots
            .front()
            .is_some_and(|granted_at| *granted_at + WINDOW <= now)
        {
            slots.pop_front();
        }
        slots.push_back(now);
        Ok(())
    }

    async fn record_throttled(&self, under_way: Duration) -> Result<BackOff, PacerError> {
        if let Some(call) = self.begin_merged_call().await
            && let Ok(back_off) = call.end(self.shared.record_throttled(under_way).await)
        {
            self.back_off_locally(back_off.left()).await;
            return Ok(back_off);
        }
        let back_off = self.local.record_throttled(under_way).await?;
        self.unmerged().outage = true;
        Ok(back_off)
    }

    /// Ignores failures of the shared pacer: their only effect is that its next back-off is longer than
    /// necessary.
    async fn record_success(&self, under_way: Duration) -> Result<(), PacerError> {
        if let Some(call) = self.begin_merged_call().await {
            let _ = call.end(self.shared.record_success(under_way).await);
        }
        self.local.record_success(under_way).await
    }

    async fn merge(&self, state: &PacerState) -> Result<(), PacerError> {
        self.local.merge(state).await?;
        if let Some(call) = self.begin_merged_call().await
            && call.end(self.shared.merge(state).await).is_ok()
        {
            return Ok(());
        }
        let now = self.clock.monotonic();
        let slots = state.turns.iter().map(|age| now.saturating_sub(*age));
        let mut unmerged = self.unmerged();
        unmerged.slots.extend(slots);
        unmerged.outage = true;
        Ok(())
    }

    async fn budget(&self) -> Result<BankBudget, PacerError> {
        let local = self.local.budget().await?;
        let Some(call) = self.begin_merged_call().await else {
            return Ok(local);
        };
        let Ok(shared) = call.end(self.shared.budget().await) else {
            return Ok(local);
        };
        if let Some(left) = shared.paused_for {
            self.back_off_locally(left).await;
        }
        Ok(BankBudget {
            paused_for: shared.paused_for.max(local.paused_for),
            ..shared
        })
    }
}
