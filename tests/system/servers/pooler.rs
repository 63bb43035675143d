//! PgBouncer before a database of a test's own, on a free port, in a folder of its own.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use tempfile::TempDir;
use testkit::postgres::{Database, USER, as_postgres, give};
use testkit::{free_port, skip, wait_for};

/// Place of the program on Debian.
const PROGRAM: &str = "/usr/sbin/pgbouncer";

/// A running pooler. It ends with the test.
pub(crate) struct Pooler {
    process: Child,
    port: u16,
    database: String,
    folder: TempDir,
}

impl Pooler {
    /// Starts one in a mode (`session`, `transaction`) that ignores these parameters of a session;
    /// `None`, said aloud, where it isn't installed.
    pub(crate) fn start(database: &Database, mode: &str, ignored: &str) -> Option<Self> {
        if !Path::new(PROGRAM).is_file() {
            skip("PgBouncer is not installed");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let (port, backend) = (free_port(), database.server().port());
        let file = |name: &str, content: &str| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            give(&path);
            path
        };
        let users = file("users", &format!("\"{USER}\" \"\"\n"));
        let settings = format!(
            "[databases]\n\
             * = host=127.0.0.1 port={backend}\n\
             [pgbouncer]\n\
             listen_addr = 127.0.0.1\n\
             listen_port = {port}\n\
             unix_socket_dir =\n\
             auth_type = trust\n\
             auth_file = {}\n\
             default_pool_size = 40\n\
             pool_mode = {mode}\n\
             ignore_startup_parameters = {ignored}\n",
            users.display()
        );
        let settings = file("pgbouncer.ini", &settings);
        give(folder.path());
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let process = as_postgres(Path::new(PROGRAM))
            .arg(settings)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let pooler = Self {
            process,
            port,
            database: database.name().to_owned(),
            folder,
        };
        wait_for(port);
        Some(pooler)
    }

    /// Address of the database behind it.
    pub(crate) fn url(&self) -> String {
        let (port, database) = (self.port, &self.database);
        format!("postgres://{USER}@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    /// Its log.
    pub(crate) fn logged(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
