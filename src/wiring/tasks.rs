//! Tasks of requests.

use std::sync::Arc;

use application::SpawnTask;
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

/// Starts tasks that `requests` tracks.
pub(super) fn spawning_in(requests: &TaskTracker) -> SpawnTask {
    // A task may be started while the runtime drops others at shutdown.
    let (requests, runtime) = (requests.clone(), Handle::current());
    Arc::new(move |task| drop(requests.spawn_on(task, &runtime)))
}
