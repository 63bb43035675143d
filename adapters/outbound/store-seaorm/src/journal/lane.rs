//! A queue and the task that writes what is in it.

use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::queue::Queue;
use super::writer::Writer;

#[derive(Debug)]
pub(super) struct Lane {
    pub(super) queue: Arc<Queue>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Lane {
    /// Has a writer write what is in its queue.
    pub(super) fn start(queue: Arc<Queue>, writer: Writer) -> Self {
        let writer = Mutex::new(Some(tokio::spawn(writer.run())));
        Self { queue, writer }
    }

    /// Waits until the writer of a closed queue has ended.
    pub(super) async fn ended(&self) {
        let mut writer = self.writer.lock().await;
        if let Some(running) = writer.as_mut() {
            // The task neither panics nor is cancelled, save by a runtime that ends.
            let _ = running.await;
            *writer = None;
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.queue.close();
    }
}
