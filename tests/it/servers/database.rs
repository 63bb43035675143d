//! A database of a test's own on a PostgreSQL that tests share.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak, mpsc};
use std::thread::JoinHandle;

use testkit::postgres::Postgres;
use testkit::until;

use crate::gateway::command;

/// Starts a server of a test's own; `None`, after printing it, where it isn't installed.
pub(super) fn start_postgres() -> Option<Postgres> {
    Postgres::start(Path::new(env!("CARGO_TARGET_TMPDIR")))
}

/// A database of a test's own, with the newest schema and nothing in it.
pub(crate) struct Database {
    server: Arc<Shared>,
    name: String,
}

/// A server that tests share while any of them runs: starting one takes longer than most tests.
struct Shared {
    postgres: Arc<Postgres>,
    databases: AtomicU32,
    /// The server ends with the thread that started it; dropping this ends that thread.
    alive: Option<mpsc::Sender<()>>,
    keeper: Option<JoinHandle<()>>,
}

/// The template database of all others.
const TEMPLATE: &str = "newest";

impl Database {
    /// A new database; `None`, after printing it, where PostgreSQL isn't installed.
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
        // A template must have no connections, and another test may be copying it.
        until("the database is made", || {
            server
                .postgres
                .tool("createdb", &["--template", TEMPLATE, &name])
        });
        Some(Self { server, name })
    }

    pub(crate) fn url(&self) -> String {
        self.server.postgres.url(&self.name)
    }

    /// The answer to a query, as text.
    pub(crate) fn ask(&self, query: &str) -> String {
        self.server.postgres.ask(&self.name, query)
    }

    /// All of its rows, as `pg_dump` writes them.
    pub(crate) fn dump(&self) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("dump.sql");
        let dump = ["--file", file.to_str().unwrap(), &self.name];
        assert!(self.server.postgres.tool("pg_dump", &dump));
        std::fs::read(file).unwrap()
    }

    /// The number that a query returns; 0 without a row.
    pub(crate) fn number(&self, query: &str) -> u64 {
        match self.ask(query).as_str() {
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
            let postgres = start_postgres().map(Arc::new);
            tell.send(postgres.clone()).unwrap();
            // Nothing is ever sent: this waits for the sender's end.
            let _ = ended.recv();
        });
        let postgres = told.recv().unwrap()?;
        let made = postgres.tool("createdb", &[TEMPLATE]);
        assert!(made, "{}", postgres.logged());
        let folder = tempfile::tempdir().unwrap();
        let migrated = command(folder.path())
            .env("CEP_DATABASE_URL", postgres.url(TEMPLATE))
            .arg("migrate")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&migrated.stderr);
        assert!(migrated.status.success(), "{said}");
        Some(Self {
            postgres,
            databases: AtomicU32::new(0),
            alive: Some(alive),
            keeper: Some(keeper),
        })
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
