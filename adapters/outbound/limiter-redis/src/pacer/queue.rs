//! The callers of this replica that wait for turns.

use std::collections::VecDeque;
use std::time::Duration;

use domain::pacing::{Lane, Throttled};
use ports::outbound::{AcquireError, PacerError};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::scripts::{Joining, WaitingLane};

/// Maximum number of callers that join in one call: it takes Redis some time for each.
const MAX_JOINING: usize = 32;

pub(super) type Answer = Result<(), AcquireError>;

/// Waiting callers of this replica.
#[derive(Debug, Default)]
pub(super) struct LocalQueue {
    /// Callers registered in Redis, by lane, in the order of their arrival; no lane is empty.
    lanes: Vec<(Lane, VecDeque<Caller>)>,
    /// Callers not registered in Redis yet.
    arriving: VecDeque<Arriving>,
    newest: u64,
    /// Number of callers that Redis has registered.
    told: usize,
    /// The task that asks Redis for turns, while there are callers.
    pub(super) server: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Caller {
    id: u64,
    /// Number from Redis, 0 before it has joined.
    number: i64,
    answer: oneshot::Sender<Answer>,
}

/// A caller that isn't registered in Redis yet.
#[derive(Debug)]
struct Arriving {
    lane: Lane,
    longest_wait: Duration,
    since: Instant,
    caller: Caller,
}

/// The next call to Redis, and the callers that it registers.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) lanes: Vec<WaitingLane>,
    pub(super) joining: Vec<Joining>,
    callers: Vec<Arriving>,
}

impl LocalQueue {
    /// Adds a caller; returns its id.
    pub(super) fn add(
        &mut self,
        lane: Lane,
        longest_wait: Duration,
        answer: oneshot::Sender<Answer>,
    ) -> u64 {
        self.newest += 1;
        let id = self.newest;
        self.arriving.push_back(Arriving {
            lane,
            longest_wait,
            since: Instant::now(),
            caller: Caller {
                id,
                number: 0,
                answer,
            },
        });
        id
    }

    /// Returns true while a task asks Redis for turns. The task also ends with its runtime.
    pub(super) fn is_served(&self) -> bool {
        let server = self.server.as_ref();
        server.is_some_and(|server| !server.is_finished())
    }

    /// Removes a caller; returns true if it is registered in Redis.
    pub(super) fn remove(&mut self, lane: Lane, id: u64) -> bool {
        self.arriving.retain(|arriving| arriving.caller.id != id);
        let callers = self.lanes.iter_mut().find(|(other, _)| *other == lane);
        let Some((_, callers)) = callers else {
            return false;
        };
        let before = callers.len();
        callers.retain(|caller| caller.id != id);
        let is_removed = callers.len() < before;
        self.forget_empty_lanes();
        is_removed
    }

    /// The next call to make; `None`, which ends the task, when no caller waits and Redis has none
    /// registered.
    pub(super) fn next_call(&mut self) -> Option<Call> {
        let count = self.arriving.len().min(MAX_JOINING);
        let callers: Vec<_> = self.arriving.drain(..count).collect();
        if callers.is_empty() && self.lanes.is_empty() && self.told == 0 {
            self.server = None;
            return None;
        }
        let mut lanes: Vec<_> = self
            .lanes
            .iter()
            .map(|(lane, callers)| WaitingLane {
                lane: *lane,
                callers: callers.len(),
                first: callers.front().map_or(0, |caller| caller.number),
            })
            .collect();
        let mut place = |lane: Lane| {
            let known = lanes.iter().position(|other| other.lane == lane);
            known.unwrap_or_else(|| {
                lanes.push(WaitingLane {
                    lane,
                    callers: 0,
                    first: 0,
                });
                lanes.len() - 1
            })
        };
        let joining = callers
            .iter()
            .map(|caller| Joining {
                lane: place(caller.lane),
                longest_wait: caller.longest_wait.saturating_sub(caller.since.elapsed()),
            })
            .collect();
        Some(Call {
            lanes,
            joining,
            callers,
        })
    }

    /// Moves the callers of a call into their lanes, or tells them the reason why they can't wait.
    pub(super) fn joined(&mut self, call: Call, results: Vec<Result<i64, Throttled>>) {
        self.told = call.lanes.iter().map(|lane| lane.callers).sum();
        for (Arriving { lane, caller, .. }, result) in call.callers.into_iter().zip(results) {
            match result {
                Ok(number) => {
                    self.told += 1;
                    self.wait(lane, Caller { number, ..caller });
                }
                Err(refusal) => caller.tell(Err(refusal.into())),
            }
        }
    }

    fn wait(&mut self, lane: Lane, caller: Caller) {
        // The caller may have left during the call, when it was in no queue.
        if caller.answer.is_closed() {
            return;
        }
        match self.lanes.iter_mut().find(|(other, _)| *other == lane) {
            Some((_, callers)) => callers.push_back(caller),
            None => self.lanes.push((lane, VecDeque::from([caller]))),
        }
    }

    /// Gives a turn to the first caller of the lane that still waits, otherwise to any other
    /// caller.
    pub(super) fn grant(&mut self, lane: Lane) {
        self.told = self.told.saturating_sub(1);
        let (of_lane, others): (Vec<_>, Vec<_>) =
            self.lanes.iter_mut().partition(|(other, _)| *other == lane);
        let mut queues = of_lane
            .into_iter()
            .chain(others)
            .map(|(_, callers)| callers);
        queues.any(|callers| {
            std::iter::from_fn(|| callers.pop_front())
                .any(|caller| caller.answer.send(Ok(())).is_ok())
        });
        self.forget_empty_lanes();
    }

    fn forget_empty_lanes(&mut self) {
        self.lanes.retain(|(_, callers)| !callers.is_empty());
    }

    /// Refuses all callers during a back-off.
    pub(super) fn refuse_all(&mut self, call: Call, refusal: Throttled) {
        self.tell_all(call, || Err(refusal.into()));
    }

    /// Tells all callers that the pacer failed.
    pub(super) fn fail_all(&mut self, call: Call, error: &PacerError) {
        self.tell_all(call, || Err(error.clone().into()));
    }

    fn tell_all(&mut self, call: Call, answer: impl Fn() -> Answer) {
        self.told = 0;
        let waiting = self.lanes.drain(..).flat_map(|(_, callers)| callers);
        let arriving = call.callers.into_iter().chain(self.arriving.drain(..));
        for caller in waiting.chain(arriving.map(|arriving| arriving.caller)) {
            caller.tell(answer());
        }
    }

    /// Returns true while callers have yet to join.
    pub(super) fn has_arriving(&self) -> bool {
        !self.arriving.is_empty()
    }
}

impl Caller {
    /// Sends the answer; a caller that has left needs none.
    fn tell(self, answer: Answer) {
        drop(self.answer.send(answer));
    }
}
