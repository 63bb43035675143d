//! SQLite's file locks, as the kernel shows them (Linux).

use std::fs;
use std::ops::RangeInclusive;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Bytes of a database file that carry SQLite's shared lock, from its source (`SHARED_FIRST`,
/// `SHARED_SIZE`).
const SHARED: RangeInclusive<u64> = 1_073_741_826..=1_073_742_335;
/// Returns whether the process has a POSIX lock on the file's shared bytes, by the kernel's
/// information on its descriptors. A process that is gone has none.
pub fn holds_shared_lock(process: u32, database: &Path) -> bool {
    let place = PathBuf::from(format!("/proc/{process}"));
    let database = identity(database);
    let descriptors = fs::read_dir(place.join("fd")).into_iter().flatten();
    descriptors.flatten().any(|descriptor| {
        if identity(&descriptor.path()) != database {
            return false;
        }
        let locks = place.join("fdinfo").join(descriptor.file_name());
        let locks = fs::read_to_string(locks).unwrap_or_default();
        locks.lines().any(is_shared_lock)
    })
}

/// Recognises a line such as `lock: 1: POSIX  ADVISORY  READ 71 fe:00:9153 1073741826 1073742335`.
fn is_shared_lock(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().collect();
    let ["lock:", _, "POSIX", _, "READ", _, _, first, last] = words[..] else {
        return false;
    };
    let covers = |byte: &u64| {
        first.parse().is_ok_and(|first: u64| first <= *byte)
            && (last == "EOF" || last.parse().is_ok_and(|last: u64| *byte <= last))
    };
    SHARED.clone().any(|byte| covers(&byte))
}

/// Device and inode of a file; `None` when there is none.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}
