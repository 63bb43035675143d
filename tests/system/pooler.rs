//! Replicas behind PgBouncer: what works in session mode, and what is said in the others.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use reqwest::StatusCode;
use tempfile::TempDir;
use testkit::postgres::{USER, as_postgres, give};
use testkit::{free_port, skip, wait_for};

use crate::gateway::{command, refusal, request};
use crate::replicas::{plan, shared};
use crate::servers::{Servers, migrate};

/// Place of the program on Debian.
const PROGRAM: &str = "/usr/sbin/pgbouncer";
/// Parameters that the driver sends when it connects.
const IGNORED: &str = "extra_float_digits,options";

/// Servers with an empty database, and a pooler before it that ends with the test.
struct Pooled {
    servers: Servers,
    /// Address of the database behind the pooler.
    url: String,
    process: Child,
    _folder: TempDir,
}

/// Starts a pooler in a mode (`session`, `transaction`) that ignores these parameters of a session;
/// `None`, said aloud, where a server isn't installed.
fn pooled(mode: &str, ignored: &str) -> Option<Pooled> {
    let servers = Servers::start_empty()?;
    if !Path::new(PROGRAM).is_file() {
        skip("PgBouncer is not installed");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let (port, backend) = (free_port(), servers.database.server().port());
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
    let process = as_postgres(Path::new(PROGRAM))
        .arg(settings)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let database = servers.database.name();
    let url = format!("postgres://{USER}@127.0.0.1:{port}/{database}?sslmode=disable");
    let pooled = Pooled {
        servers,
        url,
        process,
        _folder: folder,
    };
    wait_for(port);
    Some(pooled)
}

impl Pooled {
    /// The error of a command that must fail.
    fn refuses(&self, arguments: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let mut command = command(folder.path());
        let of_replica = command.envs(shared(&self.servers));
        refusal(
            of_replica
                .env("CEP_DATABASE_URL", &self.url)
                .args(arguments),
        )
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
async fn behind_a_pooler_of_sessions_migrating_and_serving_work() {
    let Some(pooled) = pooled("session", IGNORED) else {
        return;
    };
    migrate(&pooled.url);
    let start = || plan(&pooled.servers).with("CEP_DATABASE_URL", &pooled.url);
    let (first, second) = (start().start(), start().start());
    let key = first.roomy_key();
    for number in 0..50 {
        for gateway in [&first, &second] {
            let answer = gateway.post("xml", &key, &request(number, "10.00")).await;
            assert_eq!(answer.status(), StatusCode::OK, "{}", gateway.log());
        }
    }
}

#[test]
fn a_pooler_of_transactions_is_refused_with_the_way_out() {
    for mode in ["transaction", "statement"] {
        let Some(pooled) = pooled(mode, IGNORED) else {
            return;
        };
        for arguments in [["migrate"].as_slice(), &["serve"], &["keys", "list"]] {
            let said = pooled.refuses(arguments);
            for part in ["PgBouncer", "pool_mode=session", "CEP_DATABASE_URL"] {
                assert!(said.contains(part), "{mode} {arguments:?}: {said}");
            }
        }
    }
}

#[test]
fn a_pooler_that_refuses_parameters_of_a_session_is_named() {
    let Some(pooled) = pooled("session", "") else {
        return;
    };
    let said = pooled.refuses(&["migrate"]);
    let remedy = "ignore_startup_parameters=extra_float_digits,options";
    assert!(said.contains("PgBouncer"), "{said}");
    assert!(said.contains(remedy), "{said}");
}
