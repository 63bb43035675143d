//! Writes to the archive that go on after the answer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::channel::oneshot::Receiver;
use futures::future::{Shared, select};
use ports::outbound::Timer;

/// The longest that somebody waits for a write.
const PATIENCE: Duration = Duration::from_secs(1);

/// A write of a proof.
pub(super) struct PendingWrite {
    /// Its sender is dropped at the end.
    ended: Shared<Receiver<()>>,
    timer: Arc<dyn Timer>,
}

impl PendingWrite {
    /// A write that ends when the sender of `ended` is dropped.
    pub(super) fn new(ended: Receiver<()>, timer: Arc<dyn Timer>) -> Self {
        Self {
            ended: ended.shared(),
            timer,
        }
    }

    /// Waits for its end, a second at most.
    pub(super) async fn wait(&self) {
        drop(select(self.ended.clone(), self.timer.pause(PATIENCE)).await);
    }
}

impl fmt::Debug for PendingWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PendingWrite")
    }
}
