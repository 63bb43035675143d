//! The budget of questions to the portal, which counts them by address: the fifth cycle within
//! about 3 s met its captcha, then its limit page, for minutes.
//!
//! The rules are [`schedule`] and [`back_off`]; here they meet tasks and a clock. The budget is one
//! process's: replicas that share an address must share it out.

use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use ports::inbound::BankBudget;
use ports::outbound::ThrottleReason;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

mod back_off;
mod schedule;

pub(crate) use back_off::FIRST as FIRST_BACK_OFF;
use back_off::Strike;
use schedule::{Schedule, Step, Ticket};
pub(crate) use schedule::{Throttled, Turn};

/// What a lookup needs for itself after its turn has come: a cycle takes up to 3 s.
const CYCLE: Duration = Duration::from_secs(3);

/// How hard the portal may be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacingConfig {
    /// Lookups a minute. At most 3 follow each other quickly; then they are spaced evenly. Clients
    /// that live with the portal space theirs 4 s at least, which makes 15.
    pub cycles_per_minute: NonZeroU32,
}

/// Gives out turns, in the order in which they are asked for.
pub(crate) struct Pacer {
    schedule: Mutex<Schedule>,
    changed: Notify,
    epoch: Instant,
    per_minute: u32,
}

impl Pacer {
    pub(crate) fn new(config: PacingConfig) -> Self {
        Self {
            schedule: Mutex::new(Schedule::new(config)),
            changed: Notify::new(),
            epoch: Instant::now(),
            per_minute: config.cycles_per_minute.get(),
        }
    }

    /// Waits for a turn. Refused at once when it would leave too little of `patience`; a caller
    /// that stops waiting gives its place back.
    pub(crate) async fn turn(&self, patience: Duration) -> Result<Turn, Throttled> {
        let now = self.now();
        let waitable = patience.saturating_sub(CYCLE.min(patience / 2));
        let ticket = self.schedule().queue(now, now.saturating_add(waitable))?;
        let _place = Place {
            pacer: self,
            ticket,
        };
        loop {
            // Before the look at the schedule: a change right after it must not be missed.
            let changed = self.changed.notified();
            let step = self.schedule().step(ticket, self.now());
            match step {
                Step::Go(turn) => {
                    self.changed.notify_waiters();
                    return Ok(turn);
                }
                Step::Leave(throttled) => return Err(throttled),
                Step::Wait(None) => changed.await,
                Step::Wait(Some(at)) => {
                    tokio::select! {
                        () = changed => {}
                        () = sleep_until(self.epoch + at) => {}
                    }
                }
            }
        }
    }

    /// The portal wanted fewer queries in this turn: it is left alone, and who waits is sent away.
    pub(crate) fn limited(&self, turn: Turn, reason: ThrottleReason) -> Throttled {
        let strike = self.schedule().limited(turn, self.now());
        self.changed.notify_waiters();
        if let Strike::Began(length) = strike {
            tracing::warn!(
                reason = reason.name(),
                seconds = length.as_secs(),
                "the portal wants fewer questions and is left alone"
            );
        }
        Throttled {
            retry_after: strike.left(),
            reason,
        }
    }

    /// What is left of the budget.
    pub(crate) fn budget(&self) -> BankBudget {
        let (room, paused_for) = self.schedule().left(self.now());
        BankBudget {
            per_minute: self.per_minute,
            remaining: u32::try_from(room).unwrap_or(u32::MAX),
            paused_for,
        }
    }

    /// The portal answered this turn's question.
    pub(crate) fn served(&self, turn: Turn) {
        self.schedule().served(turn);
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

/// A place in the queue, given up when dropped.
struct Place<'a> {
    pacer: &'a Pacer,
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

#[cfg(test)]
mod tests;
