//! Turns to ask the bank, for all replicas together.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::pacing::{BackOff, BankBudget, Pacing, Throttled, longest_wait};
use ports::outbound::{AcquireError, Pacer, PacerError, PacerState};
use tokio::runtime::Handle;

use crate::answer::Strange;
use crate::line::{Fault, Lines};
use crate::scripts::{self, Script};
use crate::wire::{Argument, Call};

/// Whoever waits looks again after so long at the latest: others may have left the queue, or a
/// back-off may have begun. Many times within the scripts' `LEASE`, which each look renews.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// Whose turn is due, but for somebody before him who is about to take his, looks again after this.
const LOOK_SOON: Duration = Duration::from_millis(10);

/// Gives out turns in Redis. Made by [`RedisLimiter::pacer`](crate::RedisLimiter::pacer).
///
/// Whoever waits does so here, and has a place in the queue there, which ends when nobody looks
/// for it any more.
pub struct RedisPacer(Arc<Desk>);

/// Where turns are asked for.
struct Desk {
    lines: Arc<Lines>,
    namespace: String,
    pacing: Pacing,
    /// The time, if it isn't the server's.
    time: Option<Arc<AtomicI64>>,
}

/// What becomes of whoever wants a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Go,
    Wait { ticket: i64, left: Duration },
    Refused(Throttled),
}

impl RedisPacer {
    pub(crate) fn new(lines: Arc<Lines>, namespace: &str, pacing: Pacing) -> Self {
        Self(Arc::new(Desk {
            lines,
            namespace: namespace.to_owned(),
            pacing,
            time: None,
        }))
    }

    /// The same pacer in a time that stands still: microseconds, as they are at each call. For
    /// tests; its keys are others than the real ones.
    #[must_use]
    pub fn in_standing_time(self, micros: Arc<AtomicI64>) -> Self {
        let desk = &self.0;
        Self(Arc::new(Desk {
            lines: Arc::clone(&desk.lines),
            namespace: format!("{}-standing", desk.namespace),
            pacing: desk.pacing,
            time: Some(micros),
        }))
    }
}

impl Desk {
    async fn run(
        &self,
        script: &Script,
        rest: impl IntoIterator<Item = Argument>,
    ) -> Result<Vec<i64>, Fault> {
        let name = |kind: &char| format!("{}:{{bank}}:{kind}", self.namespace);
        let keys: Vec<_> = script.keys.iter().map(name).collect();
        let time = match &self.time {
            None => Argument::Text(String::new()),
            Some(micros) => micros.load(Ordering::SeqCst).into(),
        };
        let rules = [
            time,
            i64::from(self.pacing.per_minute()).into(),
            micros(self.pacing.spacing()),
            micros(self.pacing.tolerance()),
        ];
        let arguments: Vec<_> = rules.into_iter().chain(rest).collect();
        let call = Call {
            script,
            keys: &keys,
            arguments: &arguments,
        };
        self.lines.next().run(&call).await
    }

    /// Takes a turn or a place in the queue; with a ticket, looks whether its turn has come.
    async fn look(&self, ticket: Option<i64>, longest_wait: Duration) -> Result<Answer, Fault> {
        let ticket = ticket.map_or_else(|| Argument::Text(String::new()), Argument::from);
        let answer = self
            .run(&scripts::TURN, [ticket, micros(longest_wait)])
            .await?;
        Ok(match *answer {
            [1] => Answer::Go,
            [2, ticket, left] => Answer::Wait {
                ticket,
                left: duration(left)?,
            },
            [3, left] => Answer::Refused(Throttled::BudgetUsedUp {
                retry_after: duration(left)?,
            }),
            [4, left] => Answer::Refused(Throttled::BackingOff {
                retry_after: duration(left)?,
            }),
            _ => return Err(Strange.into()),
        })
    }

    async fn leave(&self, ticket: i64) -> Result<(), Fault> {
        self.run(&scripts::LEAVE, [ticket.into()]).await.map(drop)
    }
}

#[async_trait]
impl Pacer for RedisPacer {
    async fn acquire(&self, patience: Duration) -> Result<(), AcquireError> {
        let (asked, longest_wait) = (Instant::now(), longest_wait(patience));
        let mut place = Place {
            desk: &self.0,
            ticket: None,
        };
        loop {
            let longest_wait = longest_wait.saturating_sub(asked.elapsed());
            match self
                .0
                .look(place.ticket, longest_wait)
                .await
                .map_err(failed)?
            {
                Answer::Go => {
                    place.ticket = None;
                    return Ok(());
                }
                Answer::Refused(refusal) => {
                    place.ticket = None;
                    return Err(refusal.into());
                }
                Answer::Wait { ticket, left } => {
                    place.ticket = Some(ticket);
                    let is_due = left.is_zero();
                    let rest = if is_due { LOOK_SOON } else { left };
                    tokio::time::sleep(rest.min(LOOK_AGAIN)).await;
                }
            }
        }
    }

    async fn record_throttled(&self, under_way: Duration) -> Result<BackOff, PacerError> {
        let answer = self.0.run(&scripts::LIMITED, [micros(under_way)]).await;
        let back_off = match *answer.map_err(failed)? {
            [5, length] => duration(length).map(BackOff::Began),
            [6, left] => duration(left).map(BackOff::Joined),
            _ => Err(Strange),
        };
        back_off.map_err(failed)
    }

    async fn record_success(&self, under_way: Duration) -> Result<(), PacerError> {
        let done = self.0.run(&scripts::SERVED, [micros(under_way)]).await;
        done.map(drop).map_err(failed)
    }

    async fn merge(&self, news: &PacerState) -> Result<(), PacerError> {
        let left = news.paused_for.unwrap_or_default();
        let told = std::iter::once(left).chain(news.turns.iter().copied());
        let done = self.0.run(&scripts::LEARN, told.map(micros)).await;
        done.map(drop).map_err(failed)
    }

    async fn budget(&self) -> Result<BankBudget, PacerError> {
        let answer = self.0.run(&scripts::BUDGET, []).await.map_err(failed)?;
        let [_, room, left] = *answer else {
            return Err(failed(Strange));
        };
        let left = duration(left).map_err(failed)?;
        Ok(BankBudget {
            per_minute: self.0.pacing.per_minute(),
            remaining: u32::try_from(room).map_err(|_| failed(Strange))?,
            paused_for: (!left.is_zero()).then_some(left),
        })
    }
}

/// A place in the queue, given up when dropped.
struct Place<'a> {
    desk: &'a Arc<Desk>,
    ticket: Option<i64>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        // Without either, the place ends by itself.
        if let (Some(ticket), Ok(runtime)) = (self.ticket, Handle::try_current()) {
            let desk = Arc::clone(self.desk);
            runtime.spawn(async move { desk.leave(ticket).await });
        }
    }
}

/// A span as the scripts take it: their numbers are exact up to 2^53.
fn micros(span: Duration) -> Argument {
    let micros = span.as_micros().min(1 << 53);
    i64::try_from(micros).unwrap_or(1 << 53).into()
}

fn duration(micros: i64) -> Result<Duration, Strange> {
    let micros = u64::try_from(micros).map_err(|_| Strange)?;
    Ok(Duration::from_micros(micros))
}

fn failed(cause: impl Into<Fault>) -> PacerError {
    PacerError {
        cause: Arc::new(cause.into()),
    }
}

#[cfg(test)]
mod tests;
