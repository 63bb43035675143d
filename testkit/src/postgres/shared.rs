//! The server that tests share: starting one takes longer than most tests.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak, mpsc};
use std::thread;

use super::{Postgres, beginning, copy, give, programs_or_skip, run_by_postgres};
use crate::free_port;

impl Postgres {
    /// The server of this run of `scripts/test`, which ends it; outside of one, that of this process, which ends
    /// when nobody uses it. `None`, after printing it, where PostgreSQL isn't installed.
    pub(super) fn shared(cache: &Path) -> Option<Arc<Self>> {
        static IN_USE: Mutex<Weak<Postgres>> = Mutex::new(Weak::new());
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = in_use.upgrade() {
            return Some(server);
        }
        let server = Arc::new(match run_folder() {
            Some(folder) => Self::of_run(&folder, cache)?,
            None => Self::start_apart(cache)?,
        });
        *in_use = Arc::downgrade(&server);
        Some(server)
    }

    /// Starts a server that doesn't end with the calling thread.
    fn start_apart(cache: &Path) -> Option<Self> {
        let (alive, ended) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let cache = cache.to_owned();
        thread::spawn(move || {
            tell.send(Self::start(&cache)).unwrap();
            // Nothing is ever sent: this waits for the sender's end.
            let _ = ended.recv();
        });
        let mut server = told.recv().unwrap()?;
        server.kept.push(Box::new(alive));
        Some(server)
    }

    /// The server of a run, which the first test that needs it starts.
    #[expect(
        clippy::zombie_processes,
        reason = "it is there for the next tests, and ended with the run"
    )]
    fn of_run(run: &Path, cache: &Path) -> Option<Self> {
        let programs = programs_or_skip()?;
        let folder = run.join("postgres");
        let lock = File::create(run.join("postgres.lock")).unwrap();
        lock.lock().unwrap();
        let port = run.join("postgres.port");
        let told = fs::read_to_string(&port)
            .ok()
            .map(|port| port.parse().unwrap());
        let server = Self {
            process: None,
            programs,
            port: told.unwrap_or_else(free_port),
            folder,
            kept: Vec::new(),
        };
        if told.is_none() {
            fs::create_dir(&server.folder).unwrap();
            give(&server.folder);
            let data = server.folder.join("data");
            copy(&beginning(&server.programs, cache), &data);
            let mut command = run_by_postgres(&server.programs.join("postgres"), &[]);
            // Signals to the group of a test aren't for it.
            command.process_group(0);
            server.launch(command);
            fs::write(port, server.port.to_string()).unwrap();
        }
        Some(server)
    }
}

/// The folder of the servers of a run.
#[expect(
    clippy::disallowed_methods,
    reason = "tests know by the environment which servers they share"
)]
pub(super) fn run_folder() -> Option<PathBuf> {
    std::env::var_os("CEP_TEST_SERVERS").map(PathBuf::from)
}
