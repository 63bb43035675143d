//! A database of a test's own.

use std::path::Path;
use std::thread;

use sea_orm::DatabaseConnection;
use store_seaorm::{RoleName, Store, StoreOptions};
use testkit::postgres::{Database, Postgres, USER};
use tokio::runtime::Runtime;

/// Skips a test where PostgreSQL isn't installed; fails it on a machine that must run every test.
macro_rules! database_or_skip {
    () => {
        crate::postgres::server::database_or_skip!(new)
    };
    ($how:ident) => {
        match crate::postgres::server::TestDatabase::$how() {
            Some(database) => database,
            None => return,
        }
    };
}
pub(crate) use database_or_skip;

/// The role that serves in these tests. The tests' own user owns the tables.
pub(crate) const SERVING_ROLE: &str = "serving";

/// The initialised cluster that servers start from is kept here.
const CACHE: &str = env!("CARGO_TARGET_TMPDIR");

pub(crate) struct TestDatabase(pub(crate) Database);

impl TestDatabase {
    /// A database with all tables, on a server that tests share; `None` where PostgreSQL isn't
    /// installed.
    pub(crate) fn new() -> Option<Self> {
        let fill = |server: &Postgres| migrate(server, &server.url("served"));
        Database::copied(Path::new(CACHE), "served", fill).map(Self)
    }

    /// A database without any tables.
    pub(crate) fn empty() -> Option<Self> {
        Database::empty(Path::new(CACHE)).map(Self)
    }

    /// A database with all tables on a server of its own: for tests that stop it, configure it, read its
    /// log, or create roles.
    pub(crate) fn with_server() -> Option<Self> {
        let database = Database::with_server(Path::new(CACHE))?;
        migrate(database.server(), &database.url());
        Some(Self(database))
    }

    pub(crate) fn url(&self) -> String {
        self.0.url()
    }

    /// The URL of the role that serves.
    pub(crate) fn serving_url(&self) -> String {
        self.url()
            .replace(&format!("//{USER}@"), &format!("//{SERVING_ROLE}@"))
    }

    /// A handle on the database with the rights of the role that serves.
    pub(crate) async fn open_to_serve(&self) -> Store {
        Store::open(&self.serving_url()).await.unwrap()
    }

    /// Another handle on the database, as another process would open it.
    pub(crate) async fn open(&self) -> Store {
        self.open_with(StoreOptions::default()).await
    }

    pub(crate) async fn open_with(&self, options: StoreOptions) -> Store {
        Store::open_with(&self.url(), options).await.unwrap()
    }

    /// A plain connection that bypasses the store.
    pub(crate) async fn connect(&self) -> DatabaseConnection {
        sea_orm::Database::connect(self.url()).await.unwrap()
    }
}

/// Makes the role that serves, and all tables.
fn migrate(server: &Postgres, url: &str) {
    assert!(server.tool("createuser", &[SERVING_ROLE]));
    let migrating = async {
        let store = Store::open(url).await.unwrap();
        store.migrate().await.unwrap();
        let role = RoleName::parse(SERVING_ROLE).unwrap();
        store.grant_serving(&role).await.unwrap();
        store.close().await.unwrap();
    };
    // The caller may be in a runtime, which can't wait.
    thread::scope(|scope| {
        let migrated = scope.spawn(|| Runtime::new().unwrap().block_on(migrating));
        migrated.join().unwrap();
    });
}
