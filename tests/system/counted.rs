//! Load on one key, and its delivered proofs: the gateway must have counted at least those.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

use crate::gateway::{Gateway, Key, holds_within};
use crate::load::{Asker, question};

/// A month's quota that no load uses up.
pub(crate) const QUOTA: u64 = 1_000_000_000;
/// The longest that a load may need for the proofs that a test waits for.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest that a load may need for the refusals that a test waits for.
const REFUSED_WITHIN: Duration = Duration::from_secs(10);
/// Longer than a gateway is ever suspended here.
const LONGEST_ANSWER: Duration = Duration::from_mins(2);
/// Pause of a connection after a refused request.
const AFTER_REFUSAL: Duration = Duration::from_millis(10);

/// Requests for one proof over some connections at once, until it is stopped.
pub(crate) struct Load {
    seen: Arc<Seen>,
    askers: Vec<JoinHandle<()>>,
}

struct Seen {
    stopping: AtomicBool,
    /// Results, and the arrival of the newest proof.
    so_far: Mutex<(Tally, Instant)>,
}

/// Requests of a load by their results.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// Answers of status 200 whose head arrived.
    pub(crate) delivered: usize,
    /// Answers of any other status.
    pub(crate) refused: usize,
    /// Requests without an answer: the connection was refused, or ended.
    pub(crate) unanswered: usize,
    /// The longest time from a request to its proof.
    pub(crate) slowest: Duration,
}

/// A key with limits that no load reaches, and a quota, so that its use is reported.
pub(crate) fn metered_key(gateway: &Gateway) -> Key {
    let quota = QUOTA.to_string();
    gateway.key(&["--per-minute", "1000000", "--monthly-quota", &quota])
}

/// Returns this month's use by the gateway's own answer, without the request that reads it; `None`
/// when it delivers nothing.
pub(crate) async fn month_used(gateway: &Gateway, key: &Key) -> Option<usize> {
    let answer = Asker::new(gateway).ask(&question(key)).await.ok()?;
    let (left, _) = answer.month().filter(|_| answer.status == 200)?;
    usize::try_from(QUOTA - left - 1).ok()
}

impl Load {
    pub(crate) fn start(gateway: &Gateway, key: &Key, connections: usize) -> Self {
        let seen = Arc::new(Seen {
            stopping: AtomicBool::new(false),
            so_far: Mutex::new((Tally::default(), Instant::now())),
        });
        let askers = (0..connections).map(|_| {
            let asker = Asker::new(gateway).patient(LONGEST_ANSWER);
            tokio::spawn(Arc::clone(&seen).ask_on(asker, question(key)))
        });
        let askers = askers.collect();
        Self { seen, askers }
    }

    /// Requests in flight.
    pub(crate) fn connections(&self) -> usize {
        self.askers.len()
    }

    /// Results of the requests so far.
    pub(crate) fn so_far(&self) -> Tally {
        self.seen.so_far().0
    }

    /// Arrival of the newest proof.
    pub(crate) fn newest(&self) -> Instant {
        self.seen.so_far().1
    }

    /// Waits until so many more proofs are delivered; false when they aren't in time.
    #[must_use]
    pub(crate) async fn goes_on(&self, more: usize) -> bool {
        let until = self.so_far().delivered + more;
        holds_within(PATIENCE, async || self.so_far().delivered >= until).await
    }

    /// Waits until so many more requests are refused; false when they aren't in time.
    #[must_use]
    pub(crate) async fn is_refused(&self, more: usize) -> bool {
        let until = self.so_far().refused + more;
        holds_within(REFUSED_WITHIN, async || self.so_far().refused >= until).await
    }

    /// Ends it once the requests in flight are answered, or the gateway has ended.
    pub(crate) async fn stopped(self) -> Tally {
        self.seen.stopping.store(true, Ordering::SeqCst);
        for asker in self.askers {
            asker.await.unwrap();
        }
        self.seen.so_far().0
    }
}

impl Seen {
    fn so_far(&self) -> MutexGuard<'_, (Tally, Instant)> {
        self.so_far.lock().unwrap()
    }

    async fn ask_on(self: Arc<Self>, mut asker: Asker, question: Vec<u8>) {
        let mut pace = tokio::time::interval(AFTER_REFUSAL);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.stopping.load(Ordering::SeqCst) {
            match asker.ask(&question).await {
                Ok(answer) if answer.status == 200 => {
                    let (tally, newest) = &mut *self.so_far();
                    tally.delivered += 1;
                    tally.slowest = tally.slowest.max(answer.took());
                    *newest = answer.received.max(*newest);
                    continue;
                }
                Ok(_) => self.so_far().0.refused += 1,
                Err(_) => self.so_far().0.unanswered += 1,
            }
            pace.tick().await;
        }
    }
}
