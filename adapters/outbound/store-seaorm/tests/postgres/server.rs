//! A PostgreSQL server of a test's own, in a folder of its own, on a free port.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sea_orm::{ConnectionTrait, Database, DatabaseConnection};
use store_seaorm::{Store, StoreOptions};
use tempfile::TempDir;

/// How long a server may take to start and to stop; the usual is a quarter of a second.
const PATIENCE: Duration = Duration::from_secs(30);
/// The user that the tests are; another one, `guarded`, needs the password `open sesame`.
pub(crate) const USER: &str = "tester";

/// Skips a test where PostgreSQL isn't installed: never where it must be.
macro_rules! server_or_skip {
    () => {
        match crate::server::Server::start().await {
            Some(server) => server,
            None => return,
        }
    };
}
pub(crate) use server_or_skip;

pub(crate) struct Server {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
    process: Option<Child>,
    places: AtomicU32,
}

impl Server {
    /// A server that answers; `None` where PostgreSQL isn't installed.
    pub(crate) async fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            skip("PostgreSQL is not installed");
            return None;
        };
        let folder = new_folder();
        let copied = Command::new("cp")
            .arg("-a")
            .arg(cluster(&programs))
            .arg(folder.path().join("data"))
            .status();
        assert!(copied.unwrap().success(), "the cluster can't be copied");
        let mut server = Self {
            folder,
            programs,
            port: free_port(),
            process: None,
            places: AtomicU32::new(0),
        };
        server.run().await;
        Some(server)
    }

    /// Starts it, again if need be on the same port.
    pub(crate) async fn run(&mut self) {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log())
            .unwrap();
        let process = as_postgres(&self.programs.join("postgres"))
            .arg("-D")
            .arg(self.folder.path().join("data"))
            .args(["-p", &self.port.to_string()])
            .args(["-c", "listen_addresses=127.0.0.1"])
            .arg("-c")
            .arg(format!(
                "unix_socket_directories={}",
                self.folder.path().display()
            ))
            .args(["-c", "fsync=off", "-c", "full_page_writes=off"])
            .args(["-c", "max_connections=100", "-c", "shared_buffers=64MB"])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.process = Some(process.unwrap());
        let deadline = Instant::now() + PATIENCE;
        while let Err(error) = Database::connect(self.url("postgres")).await {
            let ended = self.process.as_mut().unwrap().try_wait().unwrap();
            let (log, late) = (self.logged(), Instant::now() > deadline);
            assert!(ended.is_none() && !late, "no server: {error}\n{log}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Stops it, as an operator does who doesn't wait for its clients.
    pub(crate) fn stop(&mut self) {
        self.end("INT");
    }

    /// Ends it as a power cut does, if the disk keeps what it was told to.
    pub(crate) fn crash(&mut self) {
        self.end("QUIT");
    }

    fn end(&mut self, signal: &str) {
        if let Some(mut process) = self.process.take() {
            let id = process.id().to_string();
            let _ = Command::new("kill")
                .args([format!("-{signal}"), id])
                .status();
            let _ = process.wait();
        }
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// What the server wrote to its log.
    pub(crate) fn logged(&self) -> String {
        fs::read_to_string(self.log()).unwrap()
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn url(&self, database: &str) -> String {
        format!(
            "postgres://{USER}@127.0.0.1:{}/{database}?sslmode=disable",
            self.port
        )
    }

    /// A new place without any tables. It is a schema, which looks like a database to those who
    /// know no other one; the server takes a third of a second to make a real one.
    pub(crate) async fn empty(&self) -> Place<'_> {
        let name = format!("place_{}", self.places.fetch_add(1, Ordering::Relaxed));
        let connection = Database::connect(self.url("postgres")).await.unwrap();
        let create = format!("CREATE SCHEMA {name}");
        connection.execute_unprepared(&create).await.unwrap();
        Place { server: self, name }
    }

    /// A new place with all tables.
    pub(crate) async fn database(&self) -> Place<'_> {
        let place = self.empty().await;
        let store = place.open().await;
        store.migrate().await.unwrap();
        store.close().await.unwrap();
        place
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.crash();
    }
}

/// A place for tables on a server.
pub(crate) struct Place<'a> {
    pub(crate) server: &'a Server,
    pub(crate) name: String,
}

impl Place<'_> {
    pub(crate) fn url(&self) -> String {
        let url = self.server.url("postgres");
        format!("{url}&options=-c%20search_path%3D{}", self.name)
    }

    /// Another handle on the database, as another process would open it.
    pub(crate) async fn open(&self) -> Store {
        self.open_with(StoreOptions::default()).await
    }

    pub(crate) async fn open_with(&self, options: StoreOptions) -> Store {
        Store::open_with(&self.url(), options).await.unwrap()
    }

    /// A plain connection, past the store.
    pub(crate) async fn connect(&self) -> DatabaseConnection {
        Database::connect(self.url()).await.unwrap()
    }
}

/// An empty cluster, made once for all tests. Its language is Spanish, whose order of text isn't
/// that of bytes.
fn cluster(programs: &Path) -> PathBuf {
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let version = Command::new(programs.join("postgres"))
        .arg("--version")
        .output();
    let version = String::from_utf8(version.unwrap().stdout).unwrap();
    let version: String = version
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
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
        // Half of what is copied for each test would be an empty log.
        .arg("--wal-segsize=1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "initdb failed: {said}");
    let rules = data.join("pg_hba.conf");
    let others = fs::read_to_string(&rules).unwrap();
    let guarded = "host all guarded 127.0.0.1/32 scram-sha-256";
    fs::write(&rules, format!("{guarded}\n{others}")).unwrap();
    // Whole or not at all, whoever is interrupted.
    let copy = cache.join("cluster.new");
    let _ = fs::remove_dir_all(&copy);
    let copied = Command::new("cp").arg("-a").arg(&data).arg(&copy).status();
    assert!(copied.unwrap().success(), "the cluster can't be kept");
    fs::rename(copy, &cluster).unwrap();
    cluster
}

/// A folder that the user who runs the server may write to.
fn new_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    give(folder.path());
    folder
}

/// Gives a file to the user who runs the server.
pub(crate) fn give(file: &Path) {
    if is_root() {
        let given = Command::new("chown").arg("postgres").arg(file).status();
        assert!(
            given.unwrap().success(),
            "{}: no user postgres",
            file.display()
        );
    }
}

/// PostgreSQL doesn't run as root: it is the user `postgres` then, and ends with the test.
fn as_postgres(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .args([
            "--reuid=postgres",
            "--regid=postgres",
            "--init-groups",
            "--pdeathsig=QUIT",
        ])
        .arg(program);
    command.current_dir("/");
    command
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Where the programs of the newest version are that is installed.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let versions = versions.filter_map(|version| Some(version.ok()?.path().join("bin")));
    versions
        .filter(|programs| programs.join("initdb").is_file())
        .max()
}

/// Says why a test didn't run: an error where it must.
#[expect(clippy::print_stdout, reason = "who runs the tests must see it")]
fn skip(why: &str) {
    assert!(!is_ci(), "{why}");
    println!("SKIPPED: {why}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "whether this is a machine that must have everything is its environment's to say"
)]
fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true")
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}
