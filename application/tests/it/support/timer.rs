//! A timer whose pauses end when a test moves its clock.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ports::outbound::{Clock as _, Timer};
use testkit::fakes::ManualClock;
use tokio::sync::watch;

/// Timer of a manual clock. Move the clock by [`Self::advance`]: its pauses don't notice otherwise.
pub(crate) struct ManualTimer {
    clock: Arc<ManualClock>,
    moved: watch::Sender<()>,
}

impl ManualTimer {
    pub(crate) fn of(clock: &Arc<ManualClock>) -> Self {
        Self {
            clock: clock.clone(),
            moved: watch::Sender::default(),
        }
    }

    /// Moves the clock on, and ends the pauses that are over by then.
    pub(crate) fn advance(&self, by: Duration) {
        self.clock.advance(by);
        self.moved.send_replace(());
    }
}

#[async_trait]
impl Timer for ManualTimer {
    async fn pause(&self, span: Duration) {
        let end = self.clock.monotonic() + span;
        let mut moved = self.moved.subscribe();
        while self.clock.monotonic() < end {
            moved.changed().await.unwrap();
        }
    }
}
