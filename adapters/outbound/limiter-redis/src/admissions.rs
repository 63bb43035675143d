//! Admissions, many of them in one call.
//!
//! One server has all keys. Whoever wants an admission while a call is under way waits for its end,
//! and all who wait are asked for together: the busier the server, the fewer its calls. Nobody waits
//! for others to come.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use domain::key::KeyId;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::answer::Strange;
use crate::line::{Fault, Line, Lines};
use crate::options::RedisTimeouts;
use crate::scripts;
use crate::space::Space;
use crate::wire::Call;

/// Admissions of one call, at most: the server does nothing else for as long as they take, some
/// 12 µs each.
const TOGETHER: usize = 64;

type Answer = Result<Vec<i64>, Fault>;

/// Asks for admissions.
pub(crate) struct Admissions {
    lanes: Vec<Arc<Lane>>,
    next: AtomicUsize,
    /// Time for an answer, with what comes before it.
    patience: Duration,
}

/// Who waits for one connection.
struct Lane {
    line: Arc<Line>,
    space: Space,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    those: Vec<Waiter>,
    /// Whether somebody asks for those who wait.
    is_served: bool,
}

struct Waiter {
    key: KeyId,
    told: oneshot::Sender<Answer>,
}

/// Calls for those who wait, one after the other, until nobody does.
struct Calls {
    lane: Arc<Lane>,
    is_over: bool,
}

impl Admissions {
    /// On these connections, which are given so long.
    pub(crate) fn new(lines: &Lines, space: &Space, timeouts: RedisTimeouts) -> Self {
        let patience = timeouts.wait + timeouts.create + timeouts.response;
        Self::with(lines.all(), space, patience)
    }

    /// The same in another space.
    pub(crate) fn moved_to(&self, space: &Space) -> Self {
        Self::with(
            self.lanes.iter().map(|lane| &lane.line),
            space,
            self.patience,
        )
    }

    fn with<'a>(
        lines: impl Iterator<Item = &'a Arc<Line>>,
        space: &Space,
        patience: Duration,
    ) -> Self {
        let lane = |line| {
            Arc::new(Lane {
                line: Arc::clone(line),
                space: space.clone(),
                waiting: Mutex::default(),
            })
        };
        Self {
            lanes: lines.map(lane).collect(),
            next: AtomicUsize::new(0),
            patience,
        }
    }

    /// Has one request admitted or refused.
    pub(crate) async fn ask(&self, key: KeyId) -> Answer {
        let lane = self.next.fetch_add(1, Ordering::Relaxed) % self.lanes.len();
        let lane = &self.lanes[lane];
        let (told, answer) = oneshot::channel();
        if lane.wait(Waiter { key, told }) {
            let calls = Calls {
                lane: Arc::clone(lane),
                is_over: false,
            };
            tokio::spawn(calls.make());
        }
        match timeout(self.patience, answer).await {
            Ok(answer) => answer.unwrap_or(Err(Fault::Abandoned)),
            // Its place is given up with it: a server that is slow but answers may have many before.
            Err(_) => Err(Fault::Busy(self.patience)),
        }
    }
}

impl Lane {
    /// Lets somebody wait; returns whether nobody serves yet, and the caller has to see to it.
    fn wait(&self, waiter: Waiter) -> bool {
        let mut waiting = self.lock();
        waiting.those.push(waiter);
        !std::mem::replace(&mut waiting.is_served, true)
    }

    /// Those who are next. When there are none, nobody serves any more.
    fn next(&self) -> Vec<Waiter> {
        let mut waiting = self.lock();
        // Who hung up is not counted.
        waiting.those.retain(|waiter| !waiter.told.is_closed());
        waiting.is_served = !waiting.those.is_empty();
        let count = waiting.those.len().min(TOGETHER);
        waiting.those.drain(..count).collect()
    }

    /// Everybody who waits.
    fn all(&self) -> Vec<Waiter> {
        std::mem::take(&mut self.lock().those)
    }

    async fn admit(&self, waiters: &[Waiter]) -> Result<Vec<Answer>, Fault> {
        let keys = waiters
            .iter()
            .flat_map(|waiter| self.space.keys(&scripts::ADMIT, waiter.key));
        let (keys, arguments) = (keys.collect::<Vec<_>>(), self.space.arguments([]));
        let call = Call {
            script: &scripts::ADMIT,
            keys: &keys,
            arguments: &arguments,
        };
        self.line.run_for_each(&call).await
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        let waiting = self.waiting.lock();
        waiting.expect("nothing panics while it holds those who wait")
    }
}

impl Calls {
    async fn make(mut self) {
        loop {
            // Whoever is about to wait comes along.
            tokio::task::yield_now().await;
            let waiters = self.lane.next();
            if waiters.is_empty() {
                self.is_over = true;
                return;
            }
            match self.lane.admit(&waiters).await {
                Ok(answers) if answers.len() == waiters.len() => {
                    for (waiter, answer) in waiters.into_iter().zip(answers) {
                        // Nobody may be there any more.
                        let _ = waiter.told.send(answer);
                    }
                }
                Ok(_) => tell(waiters, &Strange.into()),
                Err(fault) => {
                    tell(waiters, &fault);
                    // Whoever waited for a call that failed doesn't wait for another.
                    tell(self.lane.all(), &fault);
                }
            }
        }
    }
}

impl Drop for Calls {
    /// Where they end too early, by a panic or with their runtime, those who wait hear so.
    fn drop(&mut self) {
        if !self.is_over {
            *self.lane.lock() = Waiting::default();
        }
    }
}

fn tell(waiters: Vec<Waiter>, fault: &Fault) {
    for waiter in waiters {
        let _ = waiter.told.send(Err(fault.clone()));
    }
}
