//! Replicas behind PgBouncer: what works in session mode, and what is said in the others.

use reqwest::StatusCode;

use crate::gateway::{self, command, request};
use crate::replicas::{plan, shared};
use crate::servers::{Pooler, Servers};

/// Parameters that the driver sends when it connects.
const IGNORED: &str = "extra_float_digits,options";

#[tokio::test]
async fn behind_a_pooler_of_sessions_migrating_and_serving_work() {
    let Some(servers) = Servers::start_empty() else {
        return;
    };
    let Some(pooler) = Pooler::start(&servers.database, "session", IGNORED) else {
        return;
    };
    let url = pooler.url();
    let folder = tempfile::tempdir().unwrap();
    let migrated = command(folder.path())
        .env("CEP_DATABASE_URL", &url)
        .arg("migrate")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&migrated.stderr);
    assert!(migrated.status.success(), "{said}{}", pooler.logged());
    let start = || plan(&servers).with("CEP_DATABASE_URL", &url).start();
    let (first, second) = (start(), start());
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
    let Some(servers) = Servers::start_empty() else {
        return;
    };
    for mode in ["transaction", "statement"] {
        let Some(pooler) = Pooler::start(&servers.database, mode, IGNORED) else {
            return;
        };
        for arguments in [["migrate"].as_slice(), &["serve"], &["keys", "list"]] {
            let said = refusal(&servers, &pooler, arguments);
            for part in ["PgBouncer", "pool_mode=session", "CEP_DATABASE_URL"] {
                assert!(said.contains(part), "{mode} {arguments:?}: {said}");
            }
        }
    }
}

#[test]
fn a_pooler_that_refuses_parameters_of_a_session_is_named() {
    let Some(servers) = Servers::start_empty() else {
        return;
    };
    let Some(pooler) = Pooler::start(&servers.database, "session", "") else {
        return;
    };
    let said = refusal(&servers, &pooler, &["migrate"]);
    let remedy = "ignore_startup_parameters=extra_float_digits,options";
    assert!(said.contains("PgBouncer"), "{said}");
    assert!(said.contains(remedy), "{said}");
}

/// The error of a command that must fail.
fn refusal(servers: &Servers, pooler: &Pooler, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(folder.path());
    command
        .envs(shared(servers))
        .env("CEP_DATABASE_URL", pooler.url());
    gateway::refusal(command.args(arguments))
}
