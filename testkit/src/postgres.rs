//! PostgreSQL servers, and databases on them.

use std::any::Any;
use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

mod database;
mod shared;

pub use database::Database;

use crate::{free_port, signal, skip, until};

/// Database user of the tests; another one, `guarded`, needs the password `open sesame`.
pub const USER: &str = "tester";

/// A PostgreSQL server. It ends with the thread that started it, if not before.
pub struct Postgres {
    /// `None` while it is stopped, and where another process ends it.
    process: Option<Child>,
    programs: PathBuf,
    port: u16,
    folder: PathBuf,
    /// What ends with it: its folder, the thread that started it.
    kept: Vec<Box<dyn Any + Send + Sync>>,
}

impl Postgres {
    /// Starts a server with an empty database; `None`, after printing it, where PostgreSQL isn't
    /// installed. The initialised cluster that all such servers start from is kept in `cache`, the
    /// tests' own folder.
    pub fn start(cache: &Path) -> Option<Self> {
        let programs = programs_or_skip()?;
        let folder = new_folder();
        copy(&beginning(&programs, cache), &folder.path().join("data"));
        let mut server = Self {
            process: None,
            programs,
            port: free_port(),
            folder: folder.path().to_owned(),
            kept: vec![Box::new(folder)],
        };
        server.start_again();
        Some(server)
    }

    /// Starts it again with its data and on its port.
    pub fn start_again(&mut self) {
        assert!(self.process.is_none(), "it runs");
        let server = as_postgres(&self.programs.join("postgres"));
        self.process = Some(self.launch(server));
    }

    /// Runs the server by a command, and waits until it answers.
    fn launch(&self, mut server: Command) -> Child {
        let log = File::options().create(true).append(true).open(self.log());
        let process = server
            .arg("-D")
            .arg(self.folder.join("data"))
            .args(["-p", &self.port.to_string(), "-k"])
            .arg(&self.folder)
            .args(["-c", "listen_addresses=127.0.0.1"])
            .args(["-c", "fsync=off", "-c", "full_page_writes=off"])
            .args(["-c", "max_connections=500", "-c", "shared_buffers=64MB"])
            .stdout(Stdio::null())
            .stderr(log.unwrap())
            .spawn();
        let mut process = process.unwrap();
        until("PostgreSQL answers", || {
            let ended = process.try_wait().unwrap();
            assert!(ended.is_none(), "it ended: {}", self.logged());
            self.tool("pg_isready", &["--quiet"])
        });
        process
    }

    /// Ends it with a signal: `INT` is an operator who doesn't wait for clients, `QUIT` a power
    /// cut, provided that the disk keeps what was flushed.
    pub fn end(&mut self, name: &str) {
        if let Some(mut process) = self.process.take() {
            signal(name, &[process.id().to_string()]);
            let _ = process.wait();
        }
    }

    /// Kills all its processes.
    pub fn kill(&mut self) {
        // Frozen first, so that it makes no further process.
        self.freeze();
        signal("KILL", &self.processes());
        self.end("KILL");
    }

    /// Stops all its processes: it keeps its connections and doesn't answer until it is thawed.
    pub fn freeze(&self) {
        // The postmaster first; the second pass finds what it forked meanwhile.
        for _ in 0..2 {
            signal("STOP", &self.processes());
        }
    }

    /// Resumes its processes.
    pub fn thaw(&self) {
        signal("CONT", &self.processes());
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its folder; the database's own files are in `data`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// URL of one of its databases.
    pub fn url(&self, database: &str) -> String {
        let port = self.port;
        format!("postgres://{USER}@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    /// Its log.
    pub fn logged(&self) -> String {
        self.logged_after(0)
    }

    /// Its log after so many bytes.
    pub fn logged_after(&self, bytes: u64) -> String {
        let mut log = File::open(self.log()).unwrap();
        log.seek(SeekFrom::Start(bytes)).unwrap();
        io::read_to_string(log).unwrap()
    }

    /// The length of its log.
    pub fn logged_bytes(&self) -> u64 {
        fs::metadata(self.log()).unwrap().len()
    }

    /// Runs one of its programs (`createdb`) as the tests' user; returns whether it succeeded.
    pub fn tool(&self, name: &str, arguments: &[&str]) -> bool {
        Command::new(self.programs.join(name))
            .args(["-h", "127.0.0.1", "-p", &self.port.to_string()])
            .args(["-U", USER])
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    }

    /// The result of a query, as `psql` prints it unaligned and without headers.
    pub fn ask(&self, database: &str, query: &str) -> String {
        let answer = Command::new(self.programs.join("psql"))
            .args(["-X", "-A", "-t", "-c", query, &self.url(database)])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&answer.stderr);
        assert!(answer.status.success(), "{said}");
        String::from_utf8(answer.stdout).unwrap().trim().to_owned()
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// Process ids of the postmaster and of its children.
    fn processes(&self) -> Vec<String> {
        let Some(process) = &self.process else {
            return Vec::new();
        };
        let id = process.id().to_string();
        let made = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let made = made.split_whitespace().map(str::to_owned);
        std::iter::once(id).chain(made).collect()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.process.is_none() {
            return;
        }
        self.thaw();
        // As in a crash: the postmaster takes its children with it.
        self.end("QUIT");
    }
}

/// An initialised cluster of databases, made once for all tests. Its language is Spanish, whose
/// collation isn't byte order.
fn beginning(programs: &Path, cache: &Path) -> PathBuf {
    let mut postgres = Command::new(programs.join("postgres"));
    let version = postgres.arg("--version").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let version = version.replace(|sign: char| !sign.is_ascii_alphanumeric(), "");
    let cluster = cache.join(format!("small-cluster-{version}"));
    let lock = File::create(cache.join("cluster.lock")).unwrap();
    lock.lock().unwrap();
    if cluster.is_dir() {
        return cluster;
    }
    let folder = new_folder();
    let data = folder.path().join("data");
    let made = as_postgres(&programs.join("initdb"))
        .arg("-D")
        .arg(&data)
        .args(["-U", USER, "--auth=trust", "--no-sync", "--encoding=UTF8"])
        .args(["--locale=C", "--locale-provider=icu", "--icu-locale=es-MX"])
        // Half of the copy made for each test would be an empty log.
        .arg("--wal-segsize=1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "initdb failed: {said}");
    let rules = data.join("pg_hba.conf");
    let others = fs::read_to_string(&rules).unwrap();
    let guarded = "host all guarded 127.0.0.1/32 scram-sha-256";
    fs::write(&rules, format!("{guarded}\n{others}")).unwrap();
    // Complete or absent, even when the process is interrupted.
    let whole = cache.join("cluster.new");
    let _ = fs::remove_dir_all(&whole);
    copy(&data, &whole);
    fs::rename(whole, &cluster).unwrap();
    cluster
}

/// Copies a folder with its owners.
fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status();
    let from = from.display();
    assert!(copied.unwrap().success(), "{from} can't be copied");
}

/// A temporary folder that the user who runs the server may write to.
fn new_folder() -> TempDir {
    let folder = match shared::run_folder() {
        Some(run) => tempfile::tempdir_in(run),
        None => tempfile::tempdir(),
    };
    let folder = folder.unwrap();
    give(folder.path());
    folder
}

/// Changes a file's owner to the user who runs the server.
pub fn give(file: &Path) {
    if is_root() {
        let given = Command::new("chown").arg("postgres").arg(file).status();
        let file = file.display();
        assert!(given.unwrap().success(), "{file}: no user postgres");
    }
}

/// A command that runs one of its programs. PostgreSQL refuses to run as root: it is run as the
/// user `postgres` then, and ends with the thread that started it.
pub fn as_postgres(program: &Path) -> Command {
    run_by_postgres(program, &["--pdeathsig=QUIT"])
}

fn run_by_postgres(program: &Path, more: &[&str]) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=postgres", "--regid=postgres", "--init-groups"])
        .args(more)
        .arg(program)
        .current_dir("/");
    command
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Folder of the programs of the newest installed version; `None`, after printing it, without any.
fn programs_or_skip() -> Option<PathBuf> {
    let programs = programs();
    if programs.is_none() {
        skip("PostgreSQL is not installed");
    }
    programs
}

/// Folder of the programs of the newest installed version.
pub fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    versions
        .filter_map(|version| Some(version.ok()?.path().join("bin")))
        .filter(|programs| programs.join("initdb").is_file())
        .max()
}
