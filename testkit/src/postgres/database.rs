//! A database of a test's own.

use std::fs::{self, File};
use std::path::Path;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Postgres;
use crate::until;

/// A database of a test's own.
pub struct Database {
    server: Server,
    name: String,
}

enum Server {
    /// Tests share it: the database is dropped with its value.
    Shared(Arc<Postgres>),
    Own(Box<Postgres>),
}

impl Database {
    /// A copy of a template, which the first test that needs it fills, on a server that tests share; `None`,
    /// after printing it, where PostgreSQL isn't installed. Roles are all tests' on such a server.
    pub fn copied(cache: &Path, template: &str, fill: impl FnOnce(&Postgres)) -> Option<Self> {
        let server = Postgres::shared(cache)?;
        let filled = server.folder.join(format!("{template}.filled"));
        let lock = File::create(server.folder.join("templates.lock")).unwrap();
        lock.lock().unwrap();
        if !filled.exists() {
            assert!(server.tool("createdb", &[template]), "{}", server.logged());
            fill(&server);
            // What a first connection would compute is copied too.
            server.ask(template, "SELECT");
            File::create(filled).unwrap();
        }
        drop(lock);
        Some(Self::new(
            server,
            &["--template", template, "--strategy", "file_copy"],
        ))
    }

    /// An empty one on a server that tests share.
    pub fn empty(cache: &Path) -> Option<Self> {
        Some(Self::new(Postgres::shared(cache)?, &[]))
    }

    /// An empty one on a server of its own.
    pub fn with_server(cache: &Path) -> Option<Self> {
        let server = Server::Own(Box::new(Postgres::start(cache)?));
        let name = "postgres".to_owned();
        Some(Self { server, name })
    }

    fn new(server: Arc<Postgres>, options: &[&str]) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{number}", process::id());
        let options = [options, &[&name]].concat();
        // Who filled a template may not have gone yet.
        until("the database is made", || server.tool("createdb", &options));
        let server = Server::Shared(server);
        Self { server, name }
    }

    /// Its server.
    pub fn server(&self) -> &Postgres {
        match &self.server {
            Server::Shared(server) => server,
            Server::Own(server) => server,
        }
    }

    /// Its own server, to be stopped and started.
    pub fn own_server(&mut self) -> &mut Postgres {
        match &mut self.server {
            Server::Shared(_) => panic!("other tests use the server too"),
            Server::Own(server) => server,
        }
    }

    /// Its URL.
    pub fn url(&self) -> String {
        self.server().url(&self.name)
    }

    /// The answer to a query, as [`Postgres::ask`] returns it.
    pub fn ask(&self, query: &str) -> String {
        self.server().ask(&self.name, query)
    }

    /// The number that a query returns; 0 without a row.
    pub fn number(&self, query: &str) -> u64 {
        match self.ask(query).as_str() {
            "" => 0,
            number => number.parse().unwrap(),
        }
    }

    /// All of its rows, as `pg_dump` writes them.
    pub fn dump(&self) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("dump.sql");
        let dump = ["--file", file.to_str().unwrap(), &self.name];
        assert!(self.server().tool("pg_dump", &dump));
        fs::read(file).unwrap()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Server::Shared(server) = &self.server {
            server.tool("dropdb", &["--force", &self.name]);
        }
    }
}
