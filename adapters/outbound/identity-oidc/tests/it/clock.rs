//! A clock that moves when a test says so.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use ports::outbound::Clock;
use tokio::task::JoinHandle;

/// The instant at which every test starts; the machine's clock is somewhere else.
pub(crate) const START: &str = "2031-05-06T07:08:09Z";

/// A clock that moves when a test says so.
#[derive(Clone)]
pub(crate) struct TestClock {
    start: DateTime<Utc>,
    passed: Arc<Mutex<Duration>>,
}

impl TestClock {
    pub(crate) fn new() -> Self {
        Self::starting_at(START.parse().unwrap())
    }

    /// For programs that look at the machine's clock themselves.
    #[expect(clippy::disallowed_methods, reason = "as a program beside us does")]
    pub(crate) fn at_the_machines_time() -> Self {
        Self::starting_at(Utc::now())
    }

    fn starting_at(start: DateTime<Utc>) -> Self {
        Self {
            start,
            passed: Arc::default(),
        }
    }

    pub(crate) fn advance(&self, by: Duration) {
        *self.passed.lock().unwrap() += by;
    }

    pub(crate) fn shared(&self) -> Arc<dyn Clock> {
        Arc::new(self.clone())
    }

    /// Lets time pass by itself, until the task is aborted.
    pub(crate) fn run(&self) -> JoinHandle<()> {
        let clock = self.clone();
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(Duration::from_millis(1));
            let mut last = ticks.tick().await;
            loop {
                let tick = ticks.tick().await;
                clock.advance(tick - last);
                last = tick;
            }
        })
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        self.start + self.monotonic()
    }

    fn monotonic(&self) -> Duration {
        *self.passed.lock().unwrap()
    }
}
