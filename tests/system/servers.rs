//! PostgreSQL and Redis for a test.

use std::path::Path;

use testkit::postgres::{Database, Postgres};
use testkit::redis::Redis;

use crate::gateway::command;

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

/// Variables of every replica on this database, wherever its Redis is.
pub(crate) fn shared(database: &Database) -> [(&'static str, String); 4] {
    [
        ("CEP_DATABASE_URL", &*database.url()),
        ("CEP_HMAC_SECRET", "the same long secret on every replica"),
        ("CEP_STORE_SECRET", "another long secret on every replica"),
        ("CEP_DASHBOARD", "off"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
}

/// A database with the newest schema on a server that tests share.
pub(crate) fn database() -> Option<Database> {
    let migrate = |server: &Postgres| migrate(&server.url("newest"));
    Database::copied(Path::new(CACHE), "newest", migrate)
}

/// Brings the schema of the database at an address to the newest version.
pub(crate) fn migrate(url: &str) {
    let folder = tempfile::tempdir().unwrap();
    // The only setting that it needs.
    let migrated = command(folder.path())
        .env("CEP_DATABASE_URL", url)
        .arg("migrate")
        .output()
        .unwrap();
    assert!(migrated.status.success(), "{migrated:?}");
}
