//! PostgreSQL: a server of a test's own, or a database of its own on a server that tests share.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak, mpsc};
use std::thread::JoinHandle;

use tempfile::TempDir;

use super::{free_port, until, wait_for};
use crate::browser::skip;
use crate::gateway::command;

/// A database server.
pub(crate) struct Postgres {
    process: Option<Child>,
    programs: PathBuf,
    port: u16,
    folder: TempDir,
}

impl Postgres {
    /// Starts one; `None`, said aloud, where it isn't installed.
    pub(crate) fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            skip("PostgreSQL is not installed");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        make_cluster(&programs, folder.path());
        let mut server = Self {
            process: None,
            programs,
            port: free_port(),
            folder,
        };
        server.start_again();
        Some(server)
    }

    pub(crate) fn url(&self, database: &str) -> String {
        url(self.port, database)
    }

    /// Starts it again on what it had and where it was.
    pub(crate) fn start_again(&mut self) {
        let process = as_postgres(&self.programs.join("postgres"))
            .arg("-D")
            .arg(self.folder.path().join("data"))
            .args(["-p", &self.port.to_string(), "-k", ""])
            .args(["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.process = Some(process.unwrap());
        wait_for(self.port);
    }

    /// Ends all of it at once.
    pub(crate) fn kill(&mut self) {
        // Frozen first, so that it makes no further process.
        self.freeze();
        signal("KILL", &self.processes());
        self.end("KILL");
    }

    /// From now on it keeps its connections and says nothing, until it is thawed.
    pub(crate) fn freeze(&self) {
        // The one that makes the others first.
        for _ in 0..2 {
            signal("STOP", &self.processes());
        }
    }

    pub(crate) fn thaw(&self) {
        signal("CONT", &self.processes());
    }

    /// Ends it with a signal.
    pub(crate) fn end(&mut self, name: &str) {
        if let Some(mut process) = self.process.take() {
            signal(name, &[process.id().to_string()]);
            let _ = process.wait();
        }
    }

    /// Process ids: the server's, and those of the processes that it made.
    fn processes(&self) -> Vec<String> {
        let Some(process) = &self.process else {
            return Vec::new();
        };
        let id = process.id().to_string();
        let made =
            std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let made = made.split_whitespace().map(str::to_owned);
        std::iter::once(id).chain(made).collect()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.thaw();
        // As a crash: it takes its own processes with it.
        self.end("QUIT");
    }
}

fn signal(name: &str, processes: &[String]) {
    let option = format!("-{name}");
    // One that ended meanwhile is no failure.
    let _ = Command::new("kill").arg(option).args(processes).output();
}

/// A database of a test's own, with the newest schema and nothing in it.
pub(crate) struct Database {
    server: Arc<Shared>,
    name: String,
}

/// A server that tests share while any of them runs: making one takes longer than most tests.
struct Shared {
    port: u16,
    programs: PathBuf,
    databases: AtomicU32,
    /// It lives in a thread of its own, for it ends with the thread that started it; this ends it.
    alive: Option<mpsc::Sender<()>>,
    keeper: Option<JoinHandle<()>>,
}

/// The database that all others are copies of.
const TEMPLATE: &str = "newest";

impl Database {
    /// A new one; `None`, said aloud, where PostgreSQL isn't installed.
    pub(crate) fn new() -> Option<Self> {
        static RUNNING: Mutex<Weak<Shared>> = Mutex::new(Weak::new());
        let server = {
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(server) = running.upgrade() {
                server
            } else {
                let server = Arc::new(Shared::start()?);
                *running = Arc::downgrade(&server);
                server
            }
        };
        let number = server.databases.fetch_add(1, Ordering::Relaxed);
        let name = format!("test{number}");
        // Nobody may be connected to what is copied, and another test may be copying it.
        until("the database is made", || {
            server.tool("createdb", &["--template", TEMPLATE, &name])
        });
        Some(Self { server, name })
    }

    pub(crate) fn url(&self) -> String {
        url(self.server.port, &self.name)
    }

    /// The number that a query answers; nothing is 0.
    pub(crate) fn number(&self, query: &str) -> u64 {
        let answer = Command::new(self.server.programs.join("psql"))
            .args(["-X", "-A", "-t", "-c", query, &self.url()])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&answer.stderr);
        assert!(answer.status.success(), "{said}");
        let answer = String::from_utf8(answer.stdout).unwrap();
        match answer.trim() {
            "" => 0,
            number => number.parse().unwrap(),
        }
    }
}

impl Shared {
    fn start() -> Option<Self> {
        let (alive, ended) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let keeper = std::thread::spawn(move || {
            let server = Postgres::start();
            let facts = server
                .as_ref()
                .map(|server| (server.port, server.programs.clone()));
            tell.send(facts).unwrap();
            // Nobody ever says anything: this waits for the sender's end.
            let _ = ended.recv();
        });
        let (port, programs) = told.recv().unwrap()?;
        let server = Self {
            port,
            programs,
            databases: AtomicU32::new(0),
            alive: Some(alive),
            keeper: Some(keeper),
        };
        until("the template is made", || {
            server.tool("createdb", &[TEMPLATE])
        });
        let folder = tempfile::tempdir().unwrap();
        let migrated = command(folder.path())
            .env("CEP_DATABASE_URL", url(port, TEMPLATE))
            .arg("migrate")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&migrated.stderr);
        assert!(migrated.status.success(), "{said}");
        Some(server)
    }

    fn tool(&self, name: &str, arguments: &[&str]) -> bool {
        Command::new(self.programs.join(name))
            .args(["-h", "127.0.0.1", "-p", &self.port.to_string()])
            .args(["-U", "tester"])
            .args(arguments)
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.alive = None;
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

fn url(port: u16, database: &str) -> String {
    format!("postgres://tester@127.0.0.1:{port}/{database}?sslmode=disable")
}

/// An empty database cluster.
fn make_cluster(programs: &Path, folder: &Path) {
    let data = folder.join("data");
    std::fs::create_dir(&data).unwrap();
    if is_root() {
        // It doesn't run as root.
        for place in [folder, &data] {
            let given = Command::new("chown").arg("postgres").arg(place).status();
            assert!(given.unwrap().success(), "there is no user postgres");
        }
    }
    let made = as_postgres(&programs.join("initdb"))
        .arg("-D")
        .arg(&data)
        .args([
            "-U",
            "tester",
            "--auth=trust",
            "--no-sync",
            "--encoding=UTF8",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{said}");
}

fn as_postgres(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=postgres", "--regid=postgres", "--init-groups"])
        .arg("--pdeathsig=QUIT")
        .arg(program)
        .current_dir("/");
    command
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Where the programs are of the newest version that is installed.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    versions
        .filter_map(|version| Some(version.ok()?.path().join("bin")))
        .filter(|programs| programs.join("initdb").is_file())
        .max()
}
