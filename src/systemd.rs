//! Notifications to the service manager that started this process (the protocol of `sd_notify(3)`).
//! Without `NOTIFY_SOCKET` in the environment nothing is sent.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use sd_notify::NotifyState;

/// Reports that requests are answered at this address.
pub(crate) async fn ready(address: SocketAddr) {
    let status = format!("serving on http://{address}");
    send(move || sd_notify::notify(&[NotifyState::Ready, NotifyState::Status(&status)])).await;
}

/// Reports that no new connections are accepted.
pub(crate) async fn stopping() {
    let status = NotifyState::Status("finishing the requests in flight");
    send(|| sd_notify::notify(&[NotifyState::Stopping, status])).await;
}

/// Reports that tasks of the runtime still make progress.
pub(crate) async fn alive() {
    send(|| sd_notify::notify(&[NotifyState::Watchdog])).await;
}

/// Returns how often the service manager wants [`alive`] to be called: twice in the time after which
/// it ends a silent process, as `sd_watchdog_enabled(3)` recommends.
pub(crate) fn watchdog_interval() -> Option<Duration> {
    let interval = sd_notify::watchdog_enabled()? / 2;
    (!interval.is_zero()).then_some(interval)
}

/// Sends from a thread that may block: a service manager that doesn't read its socket must not hold
/// up a worker of the runtime.
async fn send(notify: impl FnOnce() -> io::Result<()> + Send + 'static) {
    let sent = tokio::task::spawn_blocking(notify).await;
    if let Err(error) = sent.map_err(io::Error::from).flatten() {
        tracing::warn!(%error, "the service manager could not be notified (NOTIFY_SOCKET)");
    }
}
