//! Test support shared by several crates: PostgreSQL and Redis servers of a test's own,
//! certificates for them, an identity provider, fakes of the outbound ports, the application's
//! services over these fakes, and captured logs.
//!
//! Each server listens on a free port of loopback, keeps its data in a temporary folder, and is
//! stopped when its value is dropped. Failures panic, as in a test.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod answers;
pub mod fakes;
#[cfg(feature = "identity-server")]
pub mod identity_server;
pub mod log;
pub mod lookups;
pub mod people;
pub mod postgres;
pub mod receipts;
pub mod redis;
pub mod resident;
pub mod sqlite;
pub mod timer;
pub mod tls;
pub mod webhooks;

use std::fs;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Time that a server may take to start, or several to agree. The usual is a quarter of a second.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for a condition, and fails when it takes longer than a server may.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(pause_after(begun.elapsed()));
    }
}

/// Waits until `condition` holds, and fails when it doesn't within `patience`.
pub async fn eventually(what: &str, patience: Duration, condition: impl AsyncFnMut() -> bool) {
    let held = holds_within(patience, condition).await;
    assert!(held, "not within {patience:?}: {what}");
}

/// Waits until `condition` holds; false when it doesn't within `patience`.
pub async fn holds_within(patience: Duration, mut condition: impl AsyncFnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !condition().await {
        if begun.elapsed() >= patience {
            return false;
        }
        tokio::time::sleep(pause_after(begun.elapsed())).await;
    }
    true
}

/// Time until a condition is looked at again that was waited for so long: a tenth of it, because looking costs
/// other tests processor time.
fn pause_after(waited: Duration) -> Duration {
    (waited / 10).clamp(Duration::from_millis(10), Duration::from_millis(250))
}

/// Waits until a server listens on a port of loopback.
pub fn wait_for(port: u16) {
    until(&format!("somebody listens on {port}"), || {
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
}

/// All files below a folder, in the order of their paths.
pub fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else {
            files.push(path);
        }
    }
    files.sort_unstable();
    files
}

/// A port that was free a moment ago. It is below those that systems hand out (32768 and more on Linux), so that a
/// server that is stopped and started again finds it free.
pub fn free_port() -> u16 {
    const FIRST: u16 = 16_384;
    loop {
        let random = RandomState::new().build_hasher().finish();
        let offset = u16::try_from(random % u64::from(FIRST)).expect("it is less than a port");
        let port = FIRST + offset;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Prints that a test is skipped; fails it on a machine that must run every test (`CI=true`).
#[expect(
    clippy::disallowed_methods,
    reason = "tests know by the environment where they run"
)]
pub fn skip(why: &str) {
    let must_run = std::env::var_os("CI").is_some_and(|ci| ci == "true");
    assert!(!must_run, "{why}");
    // Not by a macro: the output of those is captured, and whoever runs the tests must hear of it.
    let _ = writeln!(io::stderr(), "SKIPPED: {why}");
}

/// Sends a signal (`STOP`, `CONT`, `INT`) to processes. One that has ended meanwhile is no failure.
fn signal(name: &str, processes: &[String]) {
    let option = format!("-{name}");
    let _ = Command::new("kill").arg(option).args(processes).output();
}
