//! PostgreSQL and Redis for a test.

use std::path::Path;

use testkit::postgres::{Database, Postgres};
use testkit::redis::Redis;

use crate::gateway::command;

mod pooler;

pub(crate) use pooler::Pooler;

/// The initialised cluster that servers start from is kept here.
const CACHE: &str = env!("CARGO_TARGET_TMPDIR");

/// A database and Redis.
pub(crate) struct Servers {
    pub(crate) redis: Redis,
    pub(crate) database: Database,
}

impl Servers {
    /// A database with the newest schema on a server that tests share; `None`, after printing it, where one of
    /// the two isn't installed.
    pub(crate) fn start() -> Option<Self> {
        Self::with(Redis::start(&[])?, database())
    }

    /// An empty database on a server that tests share.
    pub(crate) fn start_empty() -> Option<Self> {
        Self::with(Redis::start(&[])?, Database::empty(Path::new(CACHE)))
    }

    /// An empty database on a server of its own, and Redis with these arguments: for tests that stop the
    /// server, configure it, or create roles.
    pub(crate) fn start_own(redis: &[&str]) -> Option<Self> {
        let database = Database::with_server(Path::new(CACHE));
        Self::with(Redis::start(redis)?, database)
    }

    fn with(redis: Redis, database: Option<Database>) -> Option<Self> {
        let database = database?;
        Some(Self { redis, database })
    }

    pub(crate) fn database_url(&self) -> String {
        self.database.url()
    }
}

/// A database with the newest schema on a server that tests share.
pub(crate) fn database() -> Option<Database> {
    let migrate = |server: &Postgres| {
        let folder = tempfile::tempdir().unwrap();
        let migrated = command(folder.path())
            .env("CEP_DATABASE_URL", server.url("newest"))
            .arg("migrate")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&migrated.stderr);
        assert!(migrated.status.success(), "{said}");
    };
    Database::copied(Path::new(CACHE), "newest", migrate)
}
