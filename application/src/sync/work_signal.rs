//! Signal that there is work.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use futures::task::AtomicWaker;

/// Wakes a single task that waits for work. A signal is kept until a task waits for it.
#[derive(Default)]
pub struct WorkSignal {
    has_work: AtomicBool,
    worker: AtomicWaker,
}

impl WorkSignal {
    /// Records a signal, and wakes the waiting task.
    pub(crate) fn work(&self) {
        self.has_work.store(true, Ordering::Release);
        self.worker.wake();
    }

    /// Resolves once there is work that wasn't signalled before. Only one task may wait at a time.
    pub(crate) async fn next_work(&self) {
        poll_fn(|context| {
            self.worker.register(context.waker());
            if self.has_work.swap(false, Ordering::AcqRel) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}
