//! A runtime of its own for work that may wait: downloads, tables, and files to check.

use std::num::NonZero;
use std::thread::available_parallelism;

use anyhow::{Context as _, Result};
use rustix::process::setpriority_process;
use tokio::runtime::{Builder, Handle, Runtime};

/// Niceness of its threads: beside a thread that answers requests, one of these gets a tenth of a processor.
const NICENESS: i32 = 10;

/// The runtime, until it is dropped. Its tasks end with it.
pub(crate) struct LowPriority {
    handle: Handle,
    /// `None` once it is dropped.
    runtime: Option<Runtime>,
}

impl LowPriority {
    /// Starts as many threads as there are processors.
    ///
    /// # Errors
    /// The system gives no threads.
    pub(crate) fn start() -> Result<Self> {
        let processors = available_parallelism().map_or(1, NonZero::get);
        let runtime = Builder::new_multi_thread()
            .worker_threads(processors)
            .thread_name("low-priority")
            .on_thread_start(be_nice)
            .enable_all()
            .build();
        let runtime = runtime.context("starting the runtime of downloads")?;
        Ok(Self {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })
    }

    /// Spawns its tasks.
    pub(crate) fn handle(&self) -> Handle {
        self.handle.clone()
    }
}

impl Drop for LowPriority {
    /// Without waiting, which a thread of the other runtime mustn't.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Lowers the priority of the calling thread; on Linux no other one's.
fn be_nice() {
    if let Err(error) = setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "downloads have the same priority as requests");
    }
}
