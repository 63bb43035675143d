//! Calls of the pacing scripts.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::pacing::{BackOff, BankBudget, Lane, LookupClass, Pacing, QueueLength, Throttled};
use ports::outbound::PacerState;
use uuid::Uuid;

use crate::connection::{Argument, ScriptCall};
use crate::pool::{CallError, ConnectionPool};
use crate::reply::UnexpectedReply;
use crate::scripts::{self, Script};

/// Calls the pacing scripts for one replica.
#[derive(Clone)]
pub(super) struct PacingScripts {
    pub(super) pool: Arc<ConnectionPool>,
    pub(super) namespace: String,
    pub(super) pacing: Pacing,
    pub(super) replica: Uuid,
    /// Clock of tests in microseconds; `None` uses the server's.
    pub(super) clock: Option<Arc<AtomicI64>>,
}

/// Callers of a lane that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WaitingLane {
    pub(super) lane: Lane,
    pub(super) callers: usize,
    /// Number of the lane's first caller; 0 without callers.
    pub(super) first: i64,
}

/// A caller that joins the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Joining {
    /// Index of the caller's lane in the call.
    pub(super) lane: usize,
    pub(super) longest_wait: Duration,
}

/// Reply to a call for turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TurnReply {
    /// There is no back-off, and the queue continues.
    Queue {
        /// Index of the lane that has the turn.
        granted: Option<usize>,
        /// Time until the next turn of any replica.
        next: Duration,
        /// Results for the joining callers, in their order: numbers that increase with arrival
        /// across all replicas.
        joined: Vec<Result<i64, Throttled>>,
    },
    /// The bank throttled us: all callers must leave the queue.
    BackingOff(Duration),
}

impl PacingScripts {
    async fn run(
        &self,
        script: &'static Script,
        rest: impl IntoIterator<Item = Argument>,
    ) -> Result<Vec<i64>, CallError> {
        let name = |kind: &char| format!("{}:{{bank}}:{kind}", self.namespace);
        let now = match &self.clock {
            None => Argument::Text(String::new()),
            Some(micros) => micros.load(Ordering::SeqCst).into(),
        };
        let rules = [
            now,
            i64::from(self.pacing.per_minute()).into(),
            micros(self.pacing.spacing()),
            micros(self.pacing.tolerance()),
            micros(self.pacing.quick_window()),
        ];
        let call = ScriptCall {
            script,
            keys: script.keys.iter().map(name).collect(),
            arguments: rules.into_iter().chain(rest).collect(),
        };
        self.pool.next().run(&call).await
    }

    /// Reports the lanes of this replica, adds joining callers to them, and takes a turn if the
    /// next one is due and belongs to this replica.
    pub(super) async fn turn(
        &self,
        lanes: &[WaitingLane],
        joining: &[Joining],
    ) -> Result<TurnReply, CallError> {
        let mut arguments = vec![
            Argument::Text(self.replica.simple().to_string()),
            index(lanes.len())?,
        ];
        for WaitingLane {
            lane,
            callers,
            first,
        } in lanes
        {
            let class = match lane.class {
                LookupClass::Interactive => "i",
                LookupClass::Background => "b",
            };
            arguments.push(Argument::Text(class.to_owned()));
            for id in [lane.customer.0, lane.key.0] {
                arguments.push(Argument::Text(id.simple().to_string()));
            }
            arguments.push(index(*callers)?);
            arguments.push((*first).into());
        }
        for caller in joining {
            arguments.push(index(caller.lane + 1)?);
            arguments.push(micros(caller.longest_wait));
        }
        let reply = self.run(&scripts::TURN, arguments).await?;
        Ok(match reply.as_slice() {
            [1, granted, next, joined @ ..] => TurnReply::Queue {
                granted: usize::try_from(*granted)
                    .map_err(|_| UnexpectedReply)?
                    .checked_sub(1)
                    .filter(|lane| *lane < lanes.len()),
                next: duration(*next)?,
                joined: joined
                    .chunks(2)
                    .map(result_of_join)
                    .collect::<Result<_, _>>()?,
            },
            [2, left] => TurnReply::BackingOff(duration(*left)?),
            _ => return Err(UnexpectedReply.into()),
        })
    }

    pub(super) async fn limited(&self, under_way: Duration) -> Result<BackOff, CallError> {
        match *self.run(&scripts::LIMITED, [micros(under_way)]).await? {
            [3, length] => Ok(BackOff::Began(duration(length)?)),
            [4, left] => Ok(BackOff::Joined(duration(left)?)),
            _ => Err(UnexpectedReply.into()),
        }
    }

    pub(super) async fn served(&self, under_way: Duration) -> Result<(), CallError> {
        let done = self.run(&scripts::SERVED, [micros(under_way)]).await;
        done.map(drop)
    }

    pub(super) async fn learn(&self, state: &PacerState) -> Result<(), CallError> {
        let left = state.paused_for.unwrap_or_default();
        let spans = std::iter::once(left).chain(state.turns.iter().copied());
        let done = self.run(&scripts::LEARN, spans.map(micros)).await;
        done.map(drop)
    }

    pub(super) async fn budget(&self) -> Result<BankBudget, CallError> {
        let reply = self.run(&scripts::BUDGET, []).await?;
        let [_, room, left, interactive, background] = *reply else {
            return Err(UnexpectedReply.into());
        };
        let number = |number| u32::try_from(number).map_err(|_| UnexpectedReply);
        let left = duration(left)?;
        Ok(BankBudget {
            per_minute: self.pacing.per_minute(),
            remaining: number(room)?,
            waiting: QueueLength {
                interactive: number(interactive)?,
                background: number(background)?,
            },
            paused_for: (!left.is_zero()).then_some(left),
        })
    }
}

fn result_of_join(reply: &[i64]) -> Result<Result<i64, Throttled>, UnexpectedReply> {
    match *reply {
        [0, number] => Ok(Ok(number)),
        [1, wait] => duration(wait).map(|retry_after| Err(Throttled::BudgetUsedUp { retry_after })),
        [2, wait] => duration(wait).map(|retry_after| Err(Throttled::QueueFull { retry_after })),
        _ => Err(UnexpectedReply),
    }
}

/// Encodes a duration as a script argument, in µs and at most 2^53: larger numbers aren't exact in
/// Lua.
fn micros(span: Duration) -> Argument {
    let micros = span.as_micros().min(1 << 53);
    i64::try_from(micros).unwrap_or(1 << 53).into()
}

fn index(number: usize) -> Result<Argument, UnexpectedReply> {
    i64::try_from(number)
        .map(Argument::from)
        .map_err(|_| UnexpectedReply)
}

fn duration(micros: i64) -> Result<Duration, UnexpectedReply> {
    let micros = u64::try_from(micros).map_err(|_| UnexpectedReply)?;
    Ok(Duration::from_micros(micros))
}
