//! Implementation of the `Pacer` port: one query budget for all replicas.
//!
//! Callers wait in this process. While there are any, one task reports their lanes to Redis and
//! asks for turns: the load on Redis grows with the lanes of the replicas, not with the callers.

use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::{BackOff, BankBudget, Lane, Pacing, Throttled, longest_wait};
use ports::outbound::{AcquireError, Pacer, PacerError, PacerState};
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;
use uuid::Uuid;

use crate::pool::{CallError, ConnectionPool};

mod queue;
mod scripts;

use queue::{Answer, Call, LocalQueue};
use scripts::{PacingScripts, TurnReply};

/// Maximum interval between two calls while callers wait: others may have left the queue, or a
/// back-off may have begun. A fraction of the scripts' `LEASE`, which each call renews.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Interval while the next turn is due, but another replica hasn't taken it yet.
const SHORT_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Pacer in Redis. Created by [`RedisLimiter::pacer`](crate::RedisLimiter::pacer).
pub struct RedisPacer(Arc<Inner>);

struct Inner {
    scripts: PacingScripts,
    queue: Mutex<LocalQueue>,
    /// Notified when callers come or go.
    changed: Notify,
    poll_interval: Duration,
}

impl RedisPacer {
    pub(crate) fn new(
        pool: Arc<ConnectionPool>,
        namespace: &str,
        replica: Uuid,
        pacing: Pacing,
    ) -> Self {
        let scripts = PacingScripts {
            pool,
            namespace: namespace.to_owned(),
            pacing,
            replica,
            clock: None,
        };
        Self::with(scripts, POLL_INTERVAL)
    }

    /// Returns the pacer with a clock that tests set: microseconds, read at each call. Its keys have a
    /// namespace of their own.
    #[must_use]
    pub fn with_frozen_clock(self, micros: Arc<AtomicI64>) -> Self {
        let mut scripts = self.0.scripts.clone();
        scripts.namespace += "-standing";
        scripts.clock = Some(micros);
        Self::with(scripts, SHORT_POLL_INTERVAL)
    }

    fn with(scripts: PacingScripts, poll_interval: Duration) -> Self {
        Self(Arc::new(Inner {
            scripts,
            queue: Mutex::default(),
            changed: Notify::new(),
            poll_interval,
        }))
    }

    async fn wait(&self, lane: Lane, longest_wait: Duration) -> Answer {
        let (sender, answer) = oneshot::channel();
        let _caller = {
            let mut queue = self.0.queue();
            let id = queue.add(lane, longest_wait, sender);
            if !queue.is_served() {
                queue.server = Some(tokio::spawn(Arc::clone(&self.0).serve()));
            }
            QueuedCaller {
                pacer: &self.0,
                lane,
                id,
            }
        };
        self.0.changed.notify_one();
        let answer = answer.await;
        answer.unwrap_or_else(|_| Err(failed(CallError::BatchAborted).into()))
    }
}

impl Inner {
    /// Asks Redis for turns until nobody waits.
    async fn serve(self: Arc<Self>) {
        loop {
            let call = self.queue().next_call();
            let Some(call) = call else { return };
            let interval = match self.scripts.turn(&call.lanes, &call.joining).await {
                Ok(reply) => self.follow(call, reply),
                Err(error) => {
                    self.queue().fail_all(call, &failed(error));
                    Duration::ZERO
                }
            };
            if !interval.is_zero() {
                let _ = timeout(interval, self.changed.notified()).await;
            }
        }
    }

    /// Passes a reply on to the callers; returns the time until the next call.
    fn follow(&self, call: Call, reply: TurnReply) -> Duration {
        let mut queue = self.queue();
        match reply {
            TurnReply::BackingOff(retry_after) => {
                queue.refuse_all(call, Throttled::BackingOff { retry_after });
                Duration::ZERO
            }
            TurnReply::Queue {
                granted,
                next,
                joined,
            } => {
                let granted = granted.map(|place| call.lanes[place].lane);
                queue.joined(call, joined);
                if let Some(lane) = granted {
                    queue.grant(lane);
                }
                if granted.is_some() || queue.has_arriving() {
                    Duration::ZERO
                } else {
                    next.clamp(SHORT_POLL_INTERVAL, self.poll_interval)
                }
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, LocalQueue> {
        self.queue
            .lock()
            .expect("nothing panics while it holds the queue")
    }
}

#[async_trait]
impl Pacer for RedisPacer {
    async fn acquire(&self, lane: Lane, patience: Duration) -> Result<(), AcquireError> {
        let longest_wait = longest_wait(patience);
        // Redis refuses callers without any time left at once.
        let deadline = longest_wait.max(POLL_INTERVAL);
        match timeout(deadline, self.wait(lane, longest_wait)).await {
            Ok(answer) => answer,
            // Its turn was postponed. Asking without patience gets a turn now, or a refusal with
            // the current wait.
            Err(_) => self.wait(lane, Duration::ZERO).await,
        }
    }

    async fn record_throttled(&self, under_way: Duration) -> Result<BackOff, PacerError> {
        self.0.scripts.limited(under_way).await.map_err(failed)
    }

    async fn record_success(&self, under_way: Duration) -> Result<(), PacerError> {
        self.0.scripts.served(under_way).await.map_err(failed)
    }

    async fn merge(&self, state: &PacerState) -> Result<(), PacerError> {
        self.0.scripts.learn(state).await.map_err(failed)
    }

    async fn budget(&self) -> Result<BankBudget, PacerError> {
        self.0.scripts.budget().await.map_err(failed)
    }
}

/// A caller in the queue, removed when dropped.
struct QueuedCaller<'a> {
    pacer: &'a Inner,
    lane: Lane,
    id: u64,
}

impl Drop for QueuedCaller<'_> {
    fn drop(&mut self) {
        if self.pacer.queue().remove(self.lane, self.id) {
            self.pacer.changed.notify_one();
        }
    }
}

fn failed(cause: impl Into<CallError>) -> PacerError {
    PacerError {
        cause: Arc::new(cause.into()),
    }
}

#[cfg(test)]
mod tests;
