//! Resident memory of what a test does, measured in a process of its own.

use std::process::Command;
use std::{env, fs};

/// Set in the process that measures.
const ALONE: &str = "TESTKIT_ALONE";

/// Runs the test with this path again, in a process of its own, in which `measure` is called.
#[expect(
    clippy::disallowed_methods,
    reason = "no setting: it tells the two processes apart"
)]
pub fn alone(test: &str, measure: impl FnOnce()) {
    if env::var_os(ALONE).is_some() {
        return measure();
    }
    let child = Command::new(env::current_exe().unwrap())
        .args(["--exact", test])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

/// KiB by which the most memory during an act exceeds that before it.
pub fn taken(act: impl FnOnce()) -> u64 {
    // Makes the most memory so far that of now (proc(5)).
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status("VmRSS:");
    act();
    status("VmHWM:").saturating_sub(before)
}

/// A number of this process's status, in KiB.
fn status(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
