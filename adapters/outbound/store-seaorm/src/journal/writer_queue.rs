//! A queue and the task that writes its batches.

use std::sync::Arc;

use tokio::sync::watch;

use super::queue::Queue;
use super::writer::Writer;

#[derive(Debug)]
pub(super) struct WriterQueue {
    pub(super) queue: Arc<Queue>,
    /// Closed when the writer ends, for whatever reason.
    writing: watch::Receiver<()>,
}

impl WriterQueue {
    /// Spawns the writer of a queue.
    pub(super) fn start(queue: Arc<Queue>, writer: Writer) -> Self {
        let (alive, writing) = watch::channel(());
        tokio::spawn(async move {
            writer.run().await;
            drop(alive);
        });
        Self { queue, writing }
    }

    /// Waits until the writer has ended: once its queue is closed, or by a panic.
    pub(super) fn ended(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut writing = self.writing.clone();
        async move { while writing.changed().await.is_ok() {} }
    }
}

impl Drop for WriterQueue {
    fn drop(&mut self) {
        self.queue.close();
    }
}
