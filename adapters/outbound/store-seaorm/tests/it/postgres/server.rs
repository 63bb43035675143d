//! A PostgreSQL server of a test's own, and databases on it.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use sea_orm::{ConnectionTrait, Database, DatabaseConnection};
use store_seaorm::{RoleName, Store, StoreOptions};
use testkit::postgres::{Postgres, USER};
use testkit::until;

/// Skips a test where PostgreSQL isn't installed; fails it on a machine that must run every test.
macro_rules! server_or_skip {
    () => {
        match crate::postgres::server::Server::start() {
            Some(server) => server,
            None => return,
        }
    };
}
pub(crate) use server_or_skip;

/// The role that serves in these tests. The tests' own user owns the tables.
pub(crate) const SERVING_ROLE: &str = "serving";

pub(crate) struct Server {
    pub(crate) postgres: Postgres,
    places: AtomicU32,
}

impl Server {
    /// A server that answers; `None` where PostgreSQL isn't installed.
    pub(crate) fn start() -> Option<Self> {
        let postgres = Postgres::start(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
        assert!(postgres.tool("createuser", &[SERVING_ROLE]));
        Some(Self {
            postgres,
            places: AtomicU32::new(0),
        })
    }

    /// A new database without any tables. It is a schema, which to its clients looks like a
    /// database of its own; the server takes a third of a second to create a real one.
    pub(crate) async fn empty(&self) -> TestDatabase<'_> {
        let name = format!("place_{}", self.places.fetch_add(1, Ordering::Relaxed));
        let connection = Database::connect(self.postgres.url("postgres"))
            .await
            .unwrap();
        let create = format!("CREATE SCHEMA {name}");
        connection.execute_unprepared(&create).await.unwrap();
        TestDatabase {
            server: self,
            database: "postgres".to_owned(),
            name,
        }
    }

    /// A new database with all tables.
    pub(crate) async fn database(&self) -> TestDatabase<'_> {
        let database = self.empty().await;
        let store = database.open().await;
        store.migrate().await.unwrap();
        let role = RoleName::parse(SERVING_ROLE).unwrap();
        store.grant_serving(&role).await.unwrap();
        store.close().await.unwrap();
        database
    }
}

/// A database whose rows are taken back between the cases of a suite: its tables are made once.
pub(crate) struct CleanedDatabase<'a>(TestDatabase<'a>);

/// Copies the rows that migrations leave.
const KEEP: &str = "DO $$ DECLARE name text; BEGIN
    EXECUTE format('CREATE SCHEMA %I', current_schema() || '_kept');
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
        EXECUTE format('CREATE TABLE %I.%I AS TABLE %I', current_schema() || '_kept', name, name);
    END LOOP; END $$";

/// Leaves these rows alone, and lets sequences begin anew. Triggers, which keep the audit log, are off.
const CLEAN: &str = "DO $$ DECLARE name text; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
        EXECUTE format('DELETE FROM %I', name);
        EXECUTE format('INSERT INTO %I OVERRIDING SYSTEM VALUE SELECT * FROM %I.%I',
            name, current_schema() || '_kept', name);
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema() LOOP
        EXECUTE format('ALTER SEQUENCE %I RESTART', name);
    END LOOP; END $$";

impl<'a> CleanedDatabase<'a> {
    pub(crate) async fn of(server: &'a Server) -> Self {
        let database = server.database().await;
        let connection = database.connect().await;
        connection.execute_unprepared(KEEP).await.unwrap();
        Self(database)
    }

    /// The database, as it was after its migrations.
    pub(crate) async fn cleaned(&self) -> &TestDatabase<'a> {
        let connection = self.0.connect().await;
        connection.execute_unprepared(CLEAN).await.unwrap();
        &self.0
    }
}

/// A database on a server.
pub(crate) struct TestDatabase<'a> {
    pub(crate) server: &'a Server,
    database: String,
    pub(crate) name: String,
}

impl TestDatabase<'_> {
    /// A copy of a database that nobody is connected to.
    pub(crate) fn copied(&self) -> Self {
        let (from, to) = (&self.database, format!("{}_copied", self.database));
        let copy = ["--template", from, "--strategy", "file_copy", &to];
        until("nobody is connected", || {
            self.server.postgres.tool("createdb", &copy)
        });
        Self {
            server: self.server,
            database: to,
            name: self.name.clone(),
        }
    }

    pub(crate) fn url(&self) -> String {
        let url = self.server.postgres.url(&self.database);
        format!("{url}&options=-c%20search_path%3D{}", self.name)
    }

    /// The URL of the role that serves.
    pub(crate) fn serving_url(&self) -> String {
        self.url()
            .replace(&format!("//{USER}@"), &format!("//{SERVING_ROLE}@"))
    }

    /// A handle on the database with the rights of the role that serves.
    pub(crate) async fn open_to_serve(&self) -> Store {
        let url = self.serving_url();
        Store::open_with(&url, StoreOptions::default())
            .await
            .unwrap()
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
        Database::connect(self.url()).await.unwrap()
    }
}
