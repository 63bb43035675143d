//! PostgreSQL and Redis: on free ports, in a folder, ended with the benchmark.

use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use testkit::free_port;
use testkit::postgres::{as_postgres, give, programs};
use testkit::redis::Redis;

/// Secret of the gateways: keys are hashed with it, and what is stored is encrypted.
pub(super) const SECRET: &str = "a benchmark keeps no secrets at all";

/// Time that a server may take to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server on a port of its own; it ends with this value.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
}

impl Server {
    /// Starts one, and waits until it listens on its port.
    pub(crate) fn start(mut command: Command, port: u16) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {name}"))?;
        let mut server = Self { child, port };
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = server.child.try_wait()?;
            ensure!(ended.is_none(), "{name} ended before it listened");
            ensure!(Instant::now() < deadline, "{name} doesn't listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    /// Its process, which may have children.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // All of them take it as a fast shutdown of themselves and their children.
        let id = self.child.id().to_string();
        let _ = Command::new("kill").args(["-INT", &id]).status();
        let _ = self.child.wait();
    }
}

/// The Debian packages that are missing for these servers.
pub(crate) fn missing() -> Vec<&'static str> {
    let redis = Command::new("redis-server").arg("--version").output();
    let here = [
        ("redis-server", redis.is_ok()),
        ("postgresql", programs().is_some()),
    ];
    here.into_iter()
        .filter_map(|(package, is_here)| (!is_here).then_some(package))
        .collect()
}

/// Redis without persistence.
pub(crate) fn redis() -> Result<Redis> {
    Redis::start(&[]).context("Redis isn't installed")
}

/// Has a gateway use these servers.
pub(crate) fn use_by(gateway: &mut Command, postgres: &Postgres, redis: &Redis) {
    gateway
        .env("CEP_DATABASE_URL", postgres.url())
        .env("CEP_REDIS_URL", redis.url())
        .env("CEP_HMAC_SECRET", SECRET)
        .env("CEP_STORE_SECRET", SECRET)
        .env("CEP_DASHBOARD", "off");
}

/// Makes the tables of a gateway that uses PostgreSQL.
pub(crate) fn migrate(mut gateway: Command) -> Result<()> {
    let migrated = gateway.arg("migrate").status()?;
    ensure!(migrated.success(), "the database could not be migrated");
    Ok(())
}

/// PostgreSQL with default settings: commits are on disk when they are answered.
pub(crate) struct Postgres {
    pub(crate) server: Server,
    programs: PathBuf,
}

impl Postgres {
    pub(crate) fn start(folder: &Path) -> Result<Self> {
        let programs = programs().context("PostgreSQL isn't installed")?;
        let data = folder.join("postgres");
        std::fs::create_dir(&data)?;
        for place in [folder, &data] {
            give(place);
        }
        let made = as_postgres(&programs.join("initdb"))
            .arg("-D")
            .arg(&data)
            .args(["-U", "bench", "--auth=trust", "--encoding=UTF8"])
            .args(["--locale=C", "--no-sync"])
            .output()?;
        let said = String::from_utf8_lossy(&made.stderr);
        ensure!(made.status.success(), "initdb: {said}");
        let port = free_port();
        let mut command = as_postgres(&programs.join("postgres"));
        command
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string(), "-k", ""])
            .args(["-c", "listen_addresses=127.0.0.1"]);
        let server = Server::start(command, port)?;
        Ok(Self { server, programs })
    }

    pub(crate) fn url(&self) -> String {
        let port = self.server.port;
        format!("postgres://bench@127.0.0.1:{port}/postgres?sslmode=disable")
    }

    /// Runs a statement with `input` as its standard input.
    pub(crate) fn run(&self, statement: &str, input: &str) -> Result<()> {
        let mut psql = Command::new(self.programs.join("psql"))
            .args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement])
            .arg(self.url())
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("starting psql")?;
        let mut stdin = psql.stdin.take().context("no input")?;
        stdin.write_all(input.as_bytes())?;
        drop(stdin);
        let done = psql.wait_with_output()?;
        let said = String::from_utf8_lossy(&done.stderr);
        ensure!(done.status.success(), "psql: {said}");
        Ok(())
    }
}
