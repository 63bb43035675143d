//! Programs that an operator runs beside the gateway: `sqlite3`, `flock`, `mount`.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use crate::gateway::Key;

/// Runs a program; returns what it printed.
///
/// # Errors
/// Its standard error, when it failed.
pub(super) fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let ran = Command::new(program).args(arguments).output();
    let ran = ran.map_err(|error| format!("{program}: {error}"))?;
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    let printed = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
    // `sqlite3` succeeds after a dot command that failed.
    if ran.status.success() && !said.contains("Error") {
        Ok(printed)
    } else {
        Err(format!("{program} {arguments:?}: {printed}{said}"))
    }
}

/// Returns whether the programs are installed; prints which one isn't.
pub(crate) fn installed(programs: &[&str]) -> bool {
    let missing = programs
        .iter()
        .find(|program| run("sh", &["-c", &format!("command -v {program}")]).is_err());
    if let Some(missing) = missing {
        testkit::skip(&format!("{missing} is not installed"));
    }
    missing.is_none()
}

/// SQLite's own command-line program on one database.
#[derive(Clone)]
pub(super) struct Sqlite(PathBuf);

impl Sqlite {
    pub(super) fn on(database: PathBuf) -> Self {
        Self(database)
    }

    /// Opens the database, runs these commands, and closes it.
    ///
    /// # Errors
    /// The standard error, when one failed.
    pub(super) fn run(&self, commands: &[&str]) -> Result<String, String> {
        let database = self.0.to_str().unwrap();
        let first = ["-batch", "-bail", database, ".timeout 10000"];
        run("sqlite3", &[&first, commands].concat())
    }

    /// The answer to a command that succeeds.
    pub(super) fn ask(&self, command: &str) -> String {
        self.run(&[command]).unwrap()
    }

    /// Opens the database and keeps it open.
    pub(super) fn session(&self) -> Session {
        let mut child = Command::new("sqlite3")
            .args(["-batch", "-bail", "-cmd", ".timeout 10000"])
            .arg(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Session { child, answers }
    }

    /// Answer of `PRAGMA integrity_check`; `ok` when all is well.
    pub(super) fn integrity(&self) -> String {
        let said = self.run(&["PRAGMA integrity_check"]);
        said.unwrap_or_else(|error| error).replace('\n', " ")
    }

    /// Requests that the key was charged for; `None` when the database can't be read.
    pub(super) fn month_used(&self, key: &Key) -> Option<usize> {
        let id = &key.id;
        let used = self.run(&[&format!(
            "SELECT coalesce(sum(charged - refunded), 0) FROM monthly_use WHERE key_id = '{id}'"
        )]);
        used.ok()?.parse().ok()
    }

    /// Returns whether the database has this key.
    pub(super) fn knows(&self, key: &Key) -> bool {
        let id = &key.id;
        self.ask(&format!("SELECT count(*) FROM api_keys WHERE id = '{id}'")) == "1"
    }
}

/// `sqlite3` that reads its commands from a pipe. It ends with this value.
pub(super) struct Session {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Session {
    /// Runs a command that prints one line, and returns it once it is done. An empty line means that
    /// the program ended.
    pub(super) fn ask(&mut self, command: &str) -> String {
        let commands = self.child.stdin.as_mut().unwrap();
        // A failed write means that the program ended, which the empty line reports.
        let _ = writeln!(commands, "{command}");
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// Ends the transaction and closes the database in order.
    pub(super) fn close(mut self) {
        let _ = writeln!(self.child.stdin.take().unwrap(), "COMMIT;");
        self.child.wait().unwrap();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Work that a thread of its own repeats until it is finished.
pub(super) struct Repeated {
    stopping: Arc<AtomicBool>,
    runs: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl Repeated {
    pub(super) fn start(mut work: impl FnMut() + Send + 'static) -> Self {
        let stopping = Arc::new(AtomicBool::new(false));
        let runs = Arc::new(AtomicUsize::new(0));
        let thread = std::thread::spawn({
            let (stopping, runs) = (Arc::clone(&stopping), Arc::clone(&runs));
            move || {
                while !stopping.load(Ordering::SeqCst) {
                    work();
                    runs.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        Self {
            stopping,
            runs,
            thread,
        }
    }

    pub(super) fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }

    /// Ends it, fails when the work did, and returns how often it was done.
    pub(super) fn finished(self) -> usize {
        self.stopping.store(true, Ordering::SeqCst);
        self.thread.join().unwrap();
        self.runs.load(Ordering::SeqCst)
    }
}
