//! The pacer of one process: the rules of [`domain::pacing`] meet tasks and a clock.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::{
    BackOff, BankBudget, Pacing, Schedule, Step, Throttled, WaiterId, longest_wait,
};
use ports::outbound::{AcquireError, Pacer, PacerError, PacerState};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// Gives out turns in this process, in order. Never fails.
pub struct InProcessPacer {
    queue: Mutex<Queue>,
    epoch: Instant,
    per_minute: u32,
}

/// The schedule, and those who wait for it.
struct Queue {
    schedule: Schedule,
    /// What each of them is called by. Only the first has to hear of a turn that was taken or given
    /// up: with each of thousands woken by each turn, nobody would get one in time.
    waiting: BTreeMap<WaiterId, Arc<Notify>>,
}

impl Queue {
    fn join(
        &mut self,
        now: Duration,
        latest: Duration,
    ) -> Result<(WaiterId, Arc<Notify>), Throttled> {
        let ticket = self.schedule.queue(now, latest)?;
        let called = Arc::default();
        self.waiting.insert(ticket, Arc::clone(&called));
        Ok((ticket, called))
    }

    fn leave(&mut self, ticket: WaiterId) {
        self.schedule.leave(ticket);
        self.waiting.remove(&ticket);
        if let Some((_, first)) = self.waiting.first_key_value() {
            first.notify_one();
        }
    }

    /// What was promised holds no more: everybody looks again.
    fn call_all(&self) {
        for called in self.waiting.values() {
            called.notify_one();
        }
    }
}

impl InProcessPacer {
    /// A pacer of a bank that nobody has asked yet.
    pub fn new(pacing: Pacing) -> Self {
        Self {
            queue: Mutex::new(Queue {
                schedule: Schedule::new(pacing),
                waiting: BTreeMap::new(),
            }),
            epoch: Instant::now(),
            per_minute: pacing.per_minute(),
        }
    }

    fn now(&self) -> Duration {
        self.epoch.elapsed()
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue
            .lock()
            .expect("nothing panics while it holds the queue")
    }
}

#[async_trait]
impl Pacer for InProcessPacer {
    async fn acquire(&self, patience: Duration) -> Result<(), AcquireError> {
        let now = self.now();
        let latest = now.saturating_add(longest_wait(patience));
        let (ticket, called) = self.queue().join(now, latest)?;
        let _place = Place {
            pacer: self,
            ticket,
        };
        loop {
            let step = self.queue().schedule.step(ticket, self.now());
            match step {
                Step::Go => return Ok(()),
                Step::Leave(refusal) => return Err(refusal.into()),
                Step::Behind(_) => called.notified().await,
                Step::Wait(at) => {
                    tokio::select! {
                        () = called.notified() => {}
                        () = sleep_until(self.epoch + at) => {}
                    }
                }
            }
        }
    }

    async fn record_throttled(&self, under_way: Duration) -> Result<BackOff, PacerError> {
        let mut queue = self.queue();
        let back_off = queue.schedule.record_throttled(under_way, self.now());
        queue.call_all();
        Ok(back_off)
    }

    async fn record_success(&self, under_way: Duration) -> Result<(), PacerError> {
        self.queue().schedule.record_success(under_way, self.now());
        Ok(())
    }

    async fn merge(&self, news: &PacerState) -> Result<(), PacerError> {
        let now = self.now();
        let mut queue = self.queue();
        for ago in &news.turns {
            queue.schedule.merge_acquisition(*ago, now);
        }
        if let Some(left) = news.paused_for {
            queue.schedule.merge_back_off(left, now);
        }
        queue.call_all();
        Ok(())
    }

    async fn budget(&self) -> Result<BankBudget, PacerError> {
        let now = self.now();
        let queue = self.queue();
        let schedule = &queue.schedule;
        Ok(BankBudget {
            per_minute: self.per_minute,
            remaining: schedule.room(now),
            paused_for: schedule.paused_for(now),
        })
    }
}

/// A place in the queue, given up when dropped.
struct Place<'a> {
    pacer: &'a InProcessPacer,
    ticket: WaiterId,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.pacer.queue().leave(self.ticket);
    }
}
