//! Memory of hostile workbooks, measured in a process of its own.

use std::env;
use std::fs;
use std::process::Command;

use super::choose;
use super::hostile;

/// Set in the process that measures.
const MEASURES: &str = "WORKBOOK_FILES_MEASURES";
const NAME: &str = "memory::a_hostile_workbook_takes_less_than_150_mib";
const MOST_KIB: u64 = 150 * 1024;

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "no setting: it tells the two processes apart"
)]
fn a_hostile_workbook_takes_less_than_150_mib() {
    if env::var_os(MEASURES).is_some() {
        return measure();
    }
    let child = Command::new(env::current_exe().unwrap())
        .args(["--exact", NAME])
        .env(MEASURES, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

fn measure() {
    for (name, file, _) in hostile::files() {
        // Makes the most memory so far that of now (proc(5)).
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = status("VmRSS:");
        let _ = choose(file);
        let most = status("VmHWM:");
        let taken = most.saturating_sub(before);
        assert!(taken < MOST_KIB, "{name}: {taken} KiB");
    }
}

/// A number of this process's status, in KiB.
fn status(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(field))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
