//! PostgreSQL and Redis for a test: each on a free port, in a folder of its own, and ended with the
//! test.

use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::browser::skip;

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// A database server and Redis.
pub(crate) struct Servers {
    redis: Option<Child>,
    redis_port: u16,
    programs: PathBuf,
    postgres: Option<Child>,
    postgres_port: u16,
    folder: TempDir,
}

impl Servers {
    /// Both; `None`, said aloud, where one of them isn't installed.
    pub(crate) fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            skip("PostgreSQL is not installed");
            return None;
        };
        if Command::new("redis-server")
            .arg("--version")
            .output()
            .is_err()
        {
            skip("redis-server is not installed");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        make_cluster(&programs, folder.path());
        let mut servers = Self {
            redis: None,
            redis_port: free_port(),
            programs,
            postgres: None,
            postgres_port: free_port(),
            folder,
        };
        servers.start_redis();
        servers.start_postgres();
        Some(servers)
    }

    pub(crate) fn database_url(&self) -> String {
        let port = self.postgres_port;
        format!("postgres://tester@127.0.0.1:{port}/postgres?sslmode=disable")
    }

    pub(crate) fn redis_url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.redis_port)
    }

    /// Starts Redis, which keeps nothing on disk.
    pub(crate) fn start_redis(&mut self) {
        let redis = Command::new("redis-server")
            .args(["--port", &self.redis_port.to_string()])
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .current_dir(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.redis = Some(redis.unwrap());
        wait_for(self.redis_port);
    }

    /// Ends Redis at once, and all that it knew.
    pub(crate) fn kill_redis(&mut self) {
        if let Some(mut redis) = self.redis.take() {
            let _ = redis.kill();
            let _ = redis.wait();
        }
    }

    /// Starts PostgreSQL, again on what it had and where it was.
    pub(crate) fn start_postgres(&mut self) {
        let postgres = as_postgres(&self.programs.join("postgres"))
            .arg("-D")
            .arg(self.folder.path().join("data"))
            .args(["-p", &self.postgres_port.to_string(), "-k", ""])
            .args(["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.postgres = Some(postgres.unwrap());
        wait_for(self.postgres_port);
    }

    /// Stops PostgreSQL as an operator does who doesn't wait for its clients.
    pub(crate) fn stop_postgres(&mut self) {
        self.end_postgres("INT");
    }

    /// Ends all of PostgreSQL at once, as a machine does that goes down.
    pub(crate) fn kill_postgres(&mut self) {
        // Frozen first, so that it makes no further process.
        self.freeze_postgres();
        signal("KILL", &self.postgres_processes());
        self.end_postgres("KILL");
    }

    /// From now on PostgreSQL keeps its connections and says nothing, until it is thawed.
    pub(crate) fn freeze_postgres(&self) {
        // The one that makes the others first.
        for _ in 0..2 {
            signal("STOP", &self.postgres_processes());
        }
    }

    pub(crate) fn thaw_postgres(&self) {
        signal("CONT", &self.postgres_processes());
    }

    fn end_postgres(&mut self, name: &str) {
        if let Some(mut postgres) = self.postgres.take() {
            signal(name, &[postgres.id().to_string()]);
            let _ = postgres.wait();
        }
    }

    /// Process ids: the server's, and those of the processes that it made.
    fn postgres_processes(&self) -> Vec<String> {
        let Some(postgres) = &self.postgres else {
            return Vec::new();
        };
        let id = postgres.id().to_string();
        let made =
            std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let made = made.split_whitespace().map(str::to_owned);
        std::iter::once(id).chain(made).collect()
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.kill_redis();
        self.thaw_postgres();
        // As a crash: it takes its own processes with it.
        self.end_postgres("QUIT");
    }
}

fn signal(name: &str, processes: &[String]) {
    let option = format!("-{name}");
    // One that ended meanwhile is no failure.
    let _ = Command::new("kill").arg(option).args(processes).output();
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

fn wait_for(port: u16) {
    let deadline = Instant::now() + PATIENCE;
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < deadline, "nobody listens on {port}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
