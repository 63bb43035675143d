//! Writes to the archive that run after the answer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::channel::oneshot::Receiver;
use futures::future::{Shared, select};
use ports::outbound::Timer;

/// Longest time that a caller waits for a write.
const PATIENCE: Duration = Duration::from_secs(1);

/// A running write of a proof.
pub(super) struct PendingWrite {
    /// Resolves when the sender is dropped, at the end of the write.
    ended: Shared<Receiver<()>>,
    timer: Arc<dyn Timer>,
}

impl PendingWrite {
    /// Creates a write that counts as ended when the sender of `ended` is dropped.
    pub(super) fn new(ended: Receiver<()>, timer: Arc<dyn Timer>) -> Self {
        Self {
            ended: ended.shared(),
            timer,
        }
    }

    /// Waits for the end of the write, at most [`PATIENCE`].
    pub(super) async fn wait(&self) {
        drop(select(self.ended.clone(), self.timer.pause(PATIENCE)).await);
    }
}

impl fmt::Debug for PendingWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PendingWrite")
    }
}
