//! A clock that moves when a test says so.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use ports::outbound::Clock;

/// The instant at which every test starts; the machine's clock is somewhere else.
pub(crate) const START: &str = "2031-05-06T07:08:09Z";

/// A clock that moves when a test says so.
#[derive(Clone)]
pub(crate) struct TestClock(Arc<Mutex<Duration>>);

impl TestClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Duration::ZERO)))
    }

    pub(crate) fn advance(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }

    pub(crate) fn shared(&self) -> Arc<dyn Clock> {
        Arc::new(self.clone())
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        START.parse::<DateTime<Utc>>().unwrap() + self.monotonic()
    }

    fn monotonic(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}
