//! A wall clock that a test sets for the programs it starts: each may be ahead of it, or behind.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::process::Command;
use std::time::SystemTime;

use chrono::{DateTime, TimeDelta, Utc};
use tempfile::TempDir;

/// The clock. Programs that are started with its variables follow it; their monotonic clock isn't
/// changed.
pub(crate) struct Clock {
    folder: TempDir,
    shift: File,
}

impl Clock {
    /// A clock that shows this time now.
    pub(crate) fn at(time: DateTime<Utc>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let library = Command::new("cc")
            .args(["-O2", "-shared", "-fPIC", "-o"])
            .arg(folder.path().join("clock.so"))
            .arg(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/system/clock/clock.c"
            ))
            .output()
            .expect("a C compiler, which the program was built with");
        let said = String::from_utf8_lossy(&library.stderr);
        assert!(library.status.success(), "{said}");
        let shift = File::create_new(folder.path().join("shift")).unwrap();
        let clock = Self { folder, shift };
        clock.set(time);
        clock
    }

    /// Sets it to this time, at once and for all programs.
    pub(crate) fn set(&self, time: DateTime<Utc>) {
        let shift = (time - real_time()).num_milliseconds();
        self.shift.write_all_at(&shift.to_ne_bytes(), 0).unwrap();
    }

    /// Environment variables that make a program follow the clock, so much ahead of it.
    pub(crate) fn variables(&self, ahead: TimeDelta) -> Vec<(String, String)> {
        let path = |name| self.folder.path().join(name).display().to_string();
        [
            ("LD_PRELOAD", path("clock.so")),
            ("TEST_CLOCK", path("shift")),
            ("TEST_CLOCK_SKEW", ahead.num_milliseconds().to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "what is shifted is the machine's own clock"
)]
fn real_time() -> DateTime<Utc> {
    SystemTime::now().into()
}
