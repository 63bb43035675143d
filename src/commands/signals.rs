//! Signals that end the program.

use tokio::signal::unix::{SignalKind, signal};

/// Resolves when the program is asked to stop (SIGTERM, SIGINT). From the call on neither ends it by
/// itself, also before the future is polled.
pub(super) fn stop_signal() -> impl Future<Output = ()> {
    let mut terminate = signal(SignalKind::terminate()).expect("signals can be listened to");
    let mut interrupt = signal(SignalKind::interrupt()).expect("signals can be listened to");
    async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}

/// Ends the process at a second signal. Everything that was answered is on disk by then.
pub(super) fn end_on_second_signal() {
    tokio::spawn(async {
        stop_signal().await;
        std::process::exit(130);
    });
}
