//! Implementation of the `Pacer` port: one query budget for all replicas.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::pacing::{BackOff, BankBudget, Pacing, Throttled, longest_wait};
use ports::outbound::{AcquireError, Pacer, PacerError, PacerState};
use tokio::runtime::Handle;

use crate::connection::{Argument, ScriptCall};
use crate::pool::{CallError, ConnectionPool};
use crate::reply::UnexpectedReply;
use crate::scripts::{self, Script};

/// Maximum interval between two polls of a waiting caller: others may have left the queue, or a
/// back-off may have begun. A fraction of the scripts' `LEASE`, which each poll renews.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Poll interval when the turn is due, but a caller ahead in the queue hasn't taken its own yet.
const SHORT_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Pacer in Redis. Created by [`RedisLimiter::pacer`](crate::RedisLimiter::pacer).
///
/// A caller waits in this process, and has a ticket in Redis's queue, which expires when it is no
/// longer polled.
pub struct RedisPacer(Arc<PacingScripts>);

/// Calls of the pacing scripts.
struct PacingScripts {
    pool: Arc<ConnectionPool>,
    namespace: String,
    pacing: Pacing,
    /// Clock of tests in microseconds; `None` uses the server's.
    clock: Option<Arc<AtomicI64>>,
}

/// Reply to a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PollReply {
    Go,
    Wait { ticket: i64, left: Duration },
    Refused(Throttled),
}

impl RedisPacer {
    pub(crate) fn new(pool: Arc<ConnectionPool>, namespace: &str, pacing: Pacing) -> Self {
        Self(Arc::new(PacingScripts {
            pool,
            namespace: namespace.to_owned(),
            pacing,
            clock: None,
        }))
    }

    /// Returns the pacer with a clock that tests set: microseconds, read at each call. Its keys have a
    /// namespace of their own.
    #[must_use]
    pub fn with_frozen_clock(self, micros: Arc<AtomicI64>) -> Self {
        let scripts = &self.0;
        Self(Arc::new(PacingScripts {
            pool: Arc::clone(&scripts.pool),
            namespace: format!("{}-standing", scripts.namespace),
            pacing: scripts.pacing,
            clock: Some(micros),
        }))
    }
}

impl PacingScripts {
    async fn run(
        &self,
        script: &Script,
        rest: impl IntoIterator<Item = Argument>,
    ) -> Result<Vec<i64>, CallError> {
        let name = |kind: &char| format!("{}:{{bank}}:{kind}", self.namespace);
        let keys: Vec<_> = script.keys.iter().map(name).collect();
        let now = match &self.clock {
            None => Argument::Text(String::new()),
            Some(micros) => micros.load(Ordering::SeqCst).into(),
        };
        let rules = [
            now,
            i64::from(self.pacing.per_minute()).into(),
            micros(self.pacing.spacing()),
            micros(self.pacing.tolerance()),
        ];
        let arguments: Vec<_> = rules.into_iter().chain(rest).collect();
        let call = ScriptCall {
            script,
            keys: &keys,
            arguments: &arguments,
        };
        self.pool.next().run(&call).await
    }

    /// Takes a turn or joins the queue; with a ticket, checks whether its turn has come.
    async fn poll(
        &self,
        ticket: Option<i64>,
        longest_wait: Duration,
    ) -> Result<PollReply, CallError> {
        let ticket = ticket.map_or_else(|| Argument::Text(String::new()), Argument::from);
        let reply = self
            .run(&scripts::TURN, [ticket, micros(longest_wait)])
            .await?;
        Ok(match *reply {
            [1] => PollReply::Go,
            [2, ticket, left] => PollReply::Wait {
                ticket,
                left: duration(left)?,
            },
            [3, left] => PollReply::Refused(Throttled::BudgetUsedUp {
                retry_after: duration(left)?,
            }),
            [4, left] => PollReply::Refused(Throttled::BackingOff {
                retry_after: duration(left)?,
            }),
            _ => return Err(UnexpectedReply.into()),
        })
    }

    async fn leave(&self, ticket: i64) -> Result<(), CallError> {
        self.run(&scripts::LEAVE, [ticket.into()]).await.map(drop)
    }
}

#[async_trait]
impl Pacer for RedisPacer {
    async fn acquire(&self, patience: Duration) -> Result<(), AcquireError> {
        let (started, longest_wait) = (Instant::now(), longest_wait(patience));
        let mut queued = QueuedTicket {
            scripts: &self.0,
            ticket: None,
        };
        loop {
            let longest_wait = longest_wait.saturating_sub(started.elapsed());
            match self
                .0
                .poll(queued.ticket, longest_wait)
                .await
                .map_err(failed)?
            {
                PollReply::Go => {
                    queued.ticket = None;
                    return Ok(());
                }
                PollReply::Refused(refusal) => {
                    queued.ticket = None;
                    return Err(refusal.into());
                }
                PollReply::Wait { ticket, left } => {
                    queued.ticket = Some(ticket);
                    let is_due = left.is_zero();
                    let interval = if is_due { SHORT_POLL_INTERVAL } else { left };
                    tokio::time::sleep(interval.min(POLL_INTERVAL)).await;
                }
            }
        }
    }

    async fn record_throttled(&self, under_way: Duration) -> Result<BackOff, PacerError> {
        let reply = self.0.run(&scripts::LIMITED, [micros(under_way)]).await;
        let back_off = match *reply.map_err(failed)? {
            [5, length] => duration(length).map(BackOff::Began),
            [6, left] => duration(left).map(BackOff::Joined),
            _ => Err(UnexpectedReply),
        };
        back_off.map_err(failed)
    }

    async fn record_success(&self, under_way: Duration) -> Result<(), PacerError> {
        let done = self.0.run(&scripts::SERVED, [micros(under_way)]).await;
        done.map(drop).map_err(failed)
    }

    async fn merge(&self, news: &PacerState) -> Result<(), PacerError> {
        let left = news.paused_for.unwrap_or_default();
        let spans = std::iter::once(left).chain(news.turns.iter().copied());
        let done = self.0.run(&scripts::LEARN, spans.map(micros)).await;
        done.map(drop).map_err(failed)
    }

    async fn budget(&self) -> Result<BankBudget, PacerError> {
        let reply = self.0.run(&scripts::BUDGET, []).await.map_err(failed)?;
        let [_, room, left] = *reply else {
            return Err(failed(UnexpectedReply));
        };
        let left = duration(left).map_err(failed)?;
        Ok(BankBudget {
            per_minute: self.0.pacing.per_minute(),
            remaining: u32::try_from(room).map_err(|_| failed(UnexpectedReply))?,
            paused_for: (!left.is_zero()).then_some(left),
        })
    }
}

/// A ticket in the queue, given back when dropped.
struct QueuedTicket<'a> {
    scripts: &'a Arc<PacingScripts>,
    ticket: Option<i64>,
}

impl Drop for QueuedTicket<'_> {
    fn drop(&mut self) {
        // Without a runtime the ticket expires by itself.
        if let (Some(ticket), Ok(runtime)) = (self.ticket, Handle::try_current()) {
            let scripts = Arc::clone(self.scripts);
            runtime.spawn(async move { scripts.leave(ticket).await });
        }
    }
}

/// Encodes a span as a script argument: numbers in Lua are exact up to 2^53.
fn micros(span: Duration) -> Argument {
    let micros = span.as_micros().min(1 << 53);
    i64::try_from(micros).unwrap_or(1 << 53).into()
}

fn duration(micros: i64) -> Result<Duration, UnexpectedReply> {
    let micros = u64::try_from(micros).map_err(|_| UnexpectedReply)?;
    Ok(Duration::from_micros(micros))
}

fn failed(cause: impl Into<CallError>) -> PacerError {
    PacerError {
        cause: Arc::new(cause.into()),
    }
}

#[cfg(test)]
mod tests;
