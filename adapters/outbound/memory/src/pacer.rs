//! Pacer of a single process: the rules of [`domain::pacing`] with a queue of tasks and a clock.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::{
    BackOff, BankBudget, Lane, Pacing, Schedule, Step, Throttled, WaiterId, longest_wait,
};
use ports::outbound::{AcquireError, Pacer, PacerError, PacerState};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// Pacer that queues the queries of this process. Never fails.
pub struct InProcessPacer {
    queue: Mutex<Queue>,
    epoch: Instant,
    pacing: Box<dyn Fn() -> Pacing + Send + Sync>,
}

/// The schedule and the tasks that wait for it.
struct Queue {
    schedule: Schedule,
    /// Wakers of the tasks. An arrival, an acquisition or a departure wakes only the next one: if
    /// each of thousands were woken every time, none would get its turn in time.
    waiting: HashMap<WaiterId, Arc<Notify>>,
}

impl Queue {
    fn join(
        &mut self,
        lane: Lane,
        now: Duration,
        latest: Duration,
    ) -> Result<(WaiterId, Arc<Notify>), Throttled> {
        let id = self.schedule.queue(lane, now, latest)?;
        let waker = Arc::default();
        self.waiting.insert(id, Arc::clone(&waker));
        self.wake_next();
        Ok((id, waker))
    }

    fn leave(&mut self, id: WaiterId) {
        self.schedule.leave(id);
        self.waiting.remove(&id);
        self.wake_next();
    }

    fn wake_next(&self) {
        let next = self.schedule.next();
        if let Some(waker) = next.and_then(|next| self.waiting.get(&next)) {
            waker.notify_one();
        }
    }

    /// Wakes every task, because the times they were given aren't valid any more.
    fn wake_all(&self) {
        for waker in self.waiting.values() {
            waker.notify_one();
        }
    }
}

impl InProcessPacer {
    /// Creates a pacer of a bank that hasn't been queried yet.
    pub fn new(pacing: Pacing) -> Self {
        Self::following(move || pacing)
    }

    /// Creates a pacer of a bank that hasn't been queried yet, with a budget that may change;
    /// `pacing` is called at each use.
    pub fn following(pacing: impl Fn() -> Pacing + Send + Sync + 'static) -> Self {
        Self {
            queue: Mutex::new(Queue {
                schedule: Schedule::new(pacing()),
                waiting: HashMap::new(),
            }),
            epoch: Instant::now(),
            pacing: Box::new(pacing),
        }
    }

    fn now(&self) -> Duration {
        self.epoch.elapsed()
    }

    /// Locks the queue, and updates its budget.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        let pacing = (self.pacing)();
        let queue = self.queue.lock();
        let mut queue = queue.expect("nothing panics while it holds the queue");
        queue.schedule.set_pacing(pacing);
        queue
    }
}

#[async_trait]
impl Pacer for InProcessPacer {
    async fn acquire(&self, lane: Lane, patience: Duration) -> Result<(), AcquireError> {
        let now = self.now();
        let latest = now.saturating_add(longest_wait(patience));
        let (id, waker) = self.queue().join(lane, now, latest)?;
        let _place = QueuePlace { pacer: self, id };
        loop {
            let step = self.queue().schedule.step(id, self.now());
            let at = match step {
                Step::Go => return Ok(()),
                Step::Leave(refusal) => return Err(refusal.into()),
                Step::Behind(at) | Step::Wait(at) => at,
            };
            tokio::select! {
                () = waker.notified() => {}
                () = sleep_until(self.epoch + at) => {}
            }
        }
    }

    async fn record_throttled(&self, under_way: Duration) -> Result<BackOff, PacerError> {
        let mut queue = self.queue();
        let back_off = queue.schedule.record_throttled(under_way, self.now());
        queue.wake_all();
        Ok(back_off)
    }

    async fn record_success(&self, under_way: Duration) -> Result<(), PacerError> {
        self.queue().schedule.record_success(under_way, self.now());
        Ok(())
    }

    async fn merge(&self, state: &PacerState) -> Result<(), PacerError> {
        let now = self.now();
        let mut queue = self.queue();
        for ago in &state.turns {
            queue.schedule.merge_acquisition(*ago, now);
        }
        if let Some(left) = state.paused_for {
            queue.schedule.merge_back_off(left, now);
        }
        queue.wake_all();
        Ok(())
    }

    async fn budget(&self) -> Result<BankBudget, PacerError> {
        let now = self.now();
        let queue = self.queue();
        let schedule = &queue.schedule;
        Ok(BankBudget {
            per_minute: schedule.pacing().per_minute(),
            remaining: schedule.room(now),
            waiting: schedule.waiting(),
            paused_for: schedule.paused_for(now),
        })
    }
}

/// A place in the queue; dropping it leaves the queue.
struct QueuePlace<'a> {
    pacer: &'a InProcessPacer,
    id: WaiterId,
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        self.pacer.queue().leave(self.id);
    }
}
