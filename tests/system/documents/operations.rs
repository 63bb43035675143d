//! `docs/operations.md` for two readers: one runs a gateway on one machine, one two replicas.

mod machine;
mod replicas;

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;

use self::machine::Machine;
use self::replicas::Replicas;
use super::page::Page;
use super::shell::{Server, Shell};
use crate::gateway::{Key, eventually, holds_within, request};
use crate::servers::Servers;

/// Deadline of a condition that holds within a second on an idle machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Headings of the page.
const MANY: &str = "Many replicas";
const ROTATING: &str = "Rotating secrets";
const UPGRADING: &str = "Upgrading";
const BACKUP: &str = "Backup and restore";

#[tokio::test]
async fn operations_of_one_machine_and_of_replicas() {
    let tools = ["flock", "jq", "openssl", "pg_dump", "psql", "sqlite3"];
    let Some((machine, replicas)) = Shell::open(&tools).zip(Shell::open(&["redis-cli"])) else {
        return;
    };
    // Redis takes its users from this file, which is empty until the page has its port.
    let folder = tempfile::tempdir().unwrap();
    let users = folder.path().join("users.acl");
    std::fs::write(&users, "").unwrap();
    let Some(servers) = Servers::start_own(&["--aclfile", users.to_str().unwrap()]) else {
        return;
    };
    let mut page = Page::open("docs/operations.md");
    let mut machine = Machine::start(machine);
    let mut replicas = Replicas::start(replicas, servers, &users, &mut page).await;

    machine.rotates_its_secret(&mut page).await;
    replicas.rotate_their_secret(&mut page).await;
    machine.repairs_a_mistyped_secret(&mut page).await;
    replicas.rotate_the_databases_password(&mut page).await;
    replicas.rotate_redis_password(&mut page).await;
    replicas.rotate_a_password_that_stands_in_no_file(&mut page);
    replicas.upgrade(&mut page).await;

    let mut lost = machine.backs_up(&mut page).await;
    let lost_of_replicas = replicas.back_up(&mut page).await;
    machine.loses(&mut lost, &page.next(BACKUP)).await;
    replicas.lose(&lost_of_replicas).await;
    machine.restores(&lost, &page.next(BACKUP));
    replicas.restore(&lost_of_replicas, &page.next(BACKUP));
    let revocations = page.next(BACKUP);
    let limits = page.next(BACKUP);
    machine.revokes_again(&lost, &revocations, &limits).await;
    replicas.revoke_again(&lost_of_replicas, &revocations).await;
    page.finish();
}

/// Starts a gateway with the shell's settings.
fn serve(shell: &mut Shell) -> Server {
    shell.serve("cep-gateway 2>> gateway.log")
}

/// The status of a request for a proof with this key.
async fn status(server: &Server, key: &Key) -> StatusCode {
    let answer = server
        .client
        .post(server.url("/v1/cep/xml"))
        .header("x-api-key", &key.full)
        .header("content-type", "application/json")
        .body(request(1, "10.00").to_string())
        .send()
        .await;
    answer.unwrap().status()
}

/// Asserts the status of a key's request. A 503 only asks for a retry, as on a machine that is too
/// busy to commit in time.
async fn assert_status(server: &Server, key: &Key, expected: u16) {
    let mut found = StatusCode::SERVICE_UNAVAILABLE;
    holds_within(PATIENCE, async || {
        found = status(server, key).await;
        found != StatusCode::SERVICE_UNAVAILABLE
    })
    .await;
    let log = server.complaints();
    assert_eq!(found, expected, "{}; it logged:\n{log}", key.prefix);
}

/// Waits until a key is refused: a server follows another process's changes within a second.
async fn is_refused(server: &Server, key: &Key) {
    let is_refused = async || status(server, key).await == StatusCode::UNAUTHORIZED;
    eventually("the key is refused", PATIENCE, is_refused).await;
}

/// A key's line in `keys list`, if there is one.
fn listed(shell: &mut Shell, key: &Key) -> Option<Value> {
    let keys = shell.json("cep-gateway keys list --json");
    let mut keys = keys.as_array().unwrap().iter();
    keys.find(|listed| listed["id"] == *key.id).cloned()
}

/// Returns whether the list of keys has a key that isn't revoked.
fn is_good(shell: &mut Shell, key: &Key) -> bool {
    listed(shell, key).is_some_and(|listed| listed["revoked_at"].is_null())
}
