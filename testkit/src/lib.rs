//! What the tests of several crates need: PostgreSQL and Redis of a test's own, certificates for
//! them, and what was logged.
//!
//! Each server listens on a free port of loopback, keeps what it keeps in a temporary folder, and
//! ends with the value that stands for it. What isn't as it should be panics, as in a test.
#![warn(missing_docs)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod fakes;
pub mod log;
pub mod postgres;
pub mod redis;
pub mod sqlite;
pub mod tls;

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a server may take to start, or several to agree. The usual is a quarter of a second.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for a condition, and fails when it takes longer than a server may.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until somebody listens on a port of loopback.
pub fn wait_for(port: u16) {
    until(&format!("somebody listens on {port}"), || {
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
}

/// All files in a folder and in the folders in it, in the order of their paths.
pub fn files_under(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| {
            if path.is_dir() {
                files_under(&path)
            } else {
                vec![path]
            }
        })
        .collect();
    files.sort_unstable();
    files
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Says aloud that a test is skipped; fails it where everything must run.
#[expect(
    clippy::print_stderr,
    reason = "whoever runs the tests must hear of it"
)]
pub fn skip(why: &str) {
    assert!(!must_run(), "{why}");
    eprintln!("SKIPPED: {why}");
}

/// Whether this is a machine that must have everything that tests want.
#[expect(
    clippy::disallowed_methods,
    reason = "tests know by the environment where they run"
)]
pub fn must_run() -> bool {
    std::env::var_os("CI").is_some_and(|ci| ci == "true")
}

/// Sends a signal (`STOP`, `CONT`, `INT`) to processes. One that ended meanwhile is no failure.
fn signal(name: &str, processes: &[String]) {
    let option = format!("-{name}");
    let _ = Command::new("kill").arg(option).args(processes).output();
}
