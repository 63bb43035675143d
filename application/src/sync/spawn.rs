//! Background tasks.

use futures::future::BoxFuture;

/// Spawns a task of the runtime, which runs to its end without a caller waiting for it.
pub type SpawnTask = std::sync::Arc<dyn Fn(BoxFuture<'static, ()>) + Send + Sync>;
