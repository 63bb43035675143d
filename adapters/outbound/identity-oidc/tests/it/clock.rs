//! Manual clock.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use ports::outbound::Clock;
use tokio::task::JoinHandle;

/// Instant at which every test starts, far from the machine's clock.
pub(crate) const START: &str = "2031-05-06T07:08:09Z";

/// Manual clock: it stands still until a test moves it.
#[derive(Clone)]
pub(crate) struct TestClock {
    start: DateTime<Utc>,
    passed: Arc<Mutex<Duration>>,
}

impl TestClock {
    pub(crate) fn new() -> Self {
        Self::starting_at(START.parse().unwrap())
    }

    /// Starts at the machine's time, which other programs go by.
    #[expect(
        clippy::disallowed_methods,
        reason = "another program reads the machine's clock"
    )]
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

    /// Advances the clock with real time until the task is aborted.
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
