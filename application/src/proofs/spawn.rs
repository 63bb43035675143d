//! Tasks that run to their end though nobody waits for them.

use futures::future::BoxFuture;

/// Starts a task of the runtime, which runs to its end though nobody waits for it.
pub type SpawnTask = std::sync::Arc<dyn Fn(BoxFuture<'static, ()>) + Send + Sync>;
