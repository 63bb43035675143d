//! The pacer of one process: the rules of [`domain::pacing`] meet tasks and a clock.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::{Pacing, Schedule, Step, Strike, Ticket, waitable};
use ports::inbound::BankBudget;
use ports::outbound::{News, NoTurn, Pacer, PacerError};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// Gives out turns in this process, in order. Never fails.
pub struct InProcessPacer {
    schedule: Mutex<Schedule>,
    changed: Notify,
    epoch: Instant,
    per_minute: u32,
}

impl InProcessPacer {
    /// A pacer of a bank that nobody has asked yet.
    pub fn new(pacing: Pacing) -> Self {
        Self {
            schedule: Mutex::new(Schedule::new(pacing)),
            changed: Notify::new(),
            epoch: Instant::now(),
            per_minute: pacing.per_minute(),
        }
    }

    fn now(&self) -> Duration {
        self.epoch.elapsed()
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule
            .lock()
            .expect("nothing panics while it holds the schedule")
    }
}

#[async_trait]
impl Pacer for InProcessPacer {
    async fn turn(&self, patience: Duration) -> Result<(), NoTurn> {
        let now = self.now();
        let latest = now.saturating_add(waitable(patience));
        let ticket = self.schedule().queue(now, latest)?;
        let _place = Place {
            pacer: self,
            ticket,
        };
        loop {
            // Before the look at the schedule: a change right after it must not be missed.
            let changed = self.changed.notified();
            let step = self.schedule().step(ticket, self.now());
            match step {
                Step::Go => {
                    self.changed.notify_waiters();
                    return Ok(());
                }
                Step::Leave(refusal) => {
                    self.changed.notify_waiters();
                    return Err(refusal.into());
                }
                Step::Behind(_) => changed.await,
                Step::Wait(at) => {
                    tokio::select! {
                        () = changed => {}
                        () = sleep_until(self.epoch + at) => {}
                    }
                }
            }
        }
    }

    async fn limited(&self, under_way: Duration) -> Result<Strike, PacerError> {
        let strike = self.schedule().limited(under_way, self.now());
        self.changed.notify_waiters();
        Ok(strike)
    }

    async fn served(&self, under_way: Duration) -> Result<(), PacerError> {
        self.schedule().served(under_way, self.now());
        Ok(())
    }

    async fn learn(&self, news: &News) -> Result<(), PacerError> {
        let now = self.now();
        {
            let mut schedule = self.schedule();
            for ago in &news.turns {
                schedule.learn_of_turn(*ago, now);
            }
            if let Some(left) = news.paused_for {
                schedule.learn_of_back_off(left, now);
            }
        }
        self.changed.notify_waiters();
        Ok(())
    }

    async fn budget(&self) -> Result<BankBudget, PacerError> {
        let now = self.now();
        let schedule = self.schedule();
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
    ticket: Ticket,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let was_waiting = self.pacer.schedule().leave(self.ticket);
        if was_waiting {
            self.pacer.changed.notify_waiters();
        }
    }
}
