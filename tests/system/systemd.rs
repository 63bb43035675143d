//! Notifications to a service manager: readiness, watchdog and stopping, as a socket of the test's own
//! receives them.

use std::time::Duration;

use tempfile::TempDir;
use tokio::net::UnixDatagram;

use crate::gateway::{Gateway, Plan, soon};

/// Time after which the service manager would end a silent gateway, in microseconds.
const WATCHDOG_USEC: u32 = 200_000;
/// Ten times the interval at which a running gateway is to report.
const SILENCE: Duration = Duration::from_secs(1);
/// Longer than a start or a stop takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// The receiving end of a service manager.
struct Manager {
    socket: UnixDatagram,
    _folder: TempDir,
}

/// A gateway that is told to report to this socket.
fn notifying(socket: &str) -> Gateway {
    let plan = Plan::new().with("NOTIFY_SOCKET", socket);
    plan.with("WATCHDOG_USEC", WATCHDOG_USEC).start()
}

impl Manager {
    /// Starts a gateway that is supervised.
    fn start() -> (Self, Gateway) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let manager = Self {
            socket: UnixDatagram::bind(&path).unwrap(),
            _folder: folder,
        };
        (manager, notifying(path.to_str().unwrap()))
    }

    /// The next message, or `None` when none arrives in time.
    async fn next(&self, patience: Duration) -> Option<String> {
        let mut message = [0; 1024];
        let received = tokio::time::timeout(patience, self.socket.recv(&mut message)).await;
        let length = received.ok()?.unwrap();
        Some(String::from_utf8(message[..length].to_vec()).unwrap())
    }

    /// The next message other than the watchdog's.
    async fn next_state(&self) -> String {
        loop {
            let message = self.next(PATIENCE).await.expect("a message arrives");
            if message != "WATCHDOG=1\n" {
                return message;
            }
        }
    }
}

#[tokio::test]
async fn a_service_manager_is_notified_of_readiness_watchdog_and_stopping() {
    let (manager, gateway) = Manager::start();
    let ready = format!("READY=1\nSTATUS=serving on http://{}\n", gateway.address);
    assert_eq!(manager.next(PATIENCE).await, Some(ready));
    for _ in 0..5 {
        let alive = manager.next(PATIENCE).await;
        assert_eq!(alive.as_deref(), Some("WATCHDOG=1\n"));
    }
    gateway.signal("TERM");
    let stopping = manager.next_state().await;
    assert!(stopping.starts_with("STOPPING=1\nSTATUS="), "{stopping}");
}

#[tokio::test]
async fn a_suspended_gateway_sends_no_watchdog_messages() {
    let (manager, gateway) = Manager::start();
    assert!(manager.next_state().await.starts_with("READY=1\n"));
    gateway.signal("STOP");
    // Messages already in the socket. A running gateway would never be silent for so long.
    let mut held = 0;
    while manager.next(SILENCE).await.is_some() {
        held += 1;
        assert!(held < 20, "a stopped gateway goes on reporting");
    }
    gateway.signal("CONT");
    let alive = manager.next(PATIENCE).await;
    assert_eq!(alive.as_deref(), Some("WATCHDOG=1\n"));
}

#[tokio::test]
async fn a_service_manager_that_cannot_be_reached_stops_nothing() {
    let gateway = notifying("/nowhere/notify");
    assert_eq!(gateway.get("/readyz").await.status(), 200);
    let is_told = async || gateway.log().contains("NOTIFY_SOCKET");
    soon("the log says so", is_told).await;
}
