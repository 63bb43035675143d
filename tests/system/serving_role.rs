//! Replicas that serve as a role of the database that owns nothing.

use std::time::Duration;

use reqwest::StatusCode;
use testkit::postgres::USER;

use crate::gateway::{Plan, command, eventually, refusal};
use crate::person::{Demo, Person};
use crate::replicas;
use crate::servers::Servers;

const PATIENCE: Duration = Duration::from_secs(20);
const ROLE: &str = "cep_serves";

/// Servers with a role that serves, and its URL.
fn servers() -> Option<(Servers, String)> {
    let servers = Servers::start_own(&[])?;
    assert!(servers.database.server().tool("createuser", &[ROLE]));
    let url = servers.database_url();
    let url = url.replace(&format!("//{USER}@"), &format!("//{ROLE}@"));
    Some((servers, url))
}

/// Runs `migrate` by the URL of a user and for a role; returns whether it succeeded, and its words.
fn migrate(url: &str, role: &str) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let ended = command(folder.path())
        .env("CEP_DATABASE_URL", url)
        .env("CEP_SERVING_ROLE", role)
        .arg("migrate")
        .output()
        .unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    (ended.status.success(), said)
}

fn replica(servers: &Servers, url: &str) -> Plan {
    let plan = replicas::plan(servers).with("CEP_DASHBOARD", "on");
    plan.with("CEP_DATABASE_URL", url)
}

#[tokio::test]
async fn a_replica_serves_with_a_role_that_cannot_touch_the_audit_log() {
    let Some((servers, url)) = servers() else {
        return;
    };
    let (migrated, said) = migrate(&servers.database_url(), ROLE);
    assert!(migrated, "{said}");
    let gateway = replica(&servers, &url).start();
    let key = gateway.roomy_key();
    assert_eq!(gateway.status_of(&key).await, StatusCode::OK);
    let admin = Person::signed_in(&gateway, Demo::Admin).await;
    let made = admin.create_key("served", "test").await;
    assert_eq!(gateway.status_of(&made).await, StatusCode::OK);
    let path = format!("/keys/{}", made.id);
    let revoked = admin.request(reqwest::Method::DELETE, &path).send().await;
    assert_eq!(revoked.unwrap().status(), StatusCode::OK);
    assert_eq!(gateway.status_of(&made).await, StatusCode::UNAUTHORIZED);
    let audit = "SELECT count(*) FROM audit_log WHERE action = 'key_revoked'";
    assert_eq!(servers.database.ask(audit), "1");
    let warning = "may change the audit log";
    for absent in ["permission denied", warning] {
        assert!(!gateway.log().contains(absent), "{}", gateway.log());
    }
    let owner = replica(&servers, &servers.database_url()).start();
    eventually("the owner is warned", PATIENCE, async || {
        owner.log().contains(warning)
    })
    .await;
    let may = format!(
        "SELECT has_table_privilege('{ROLE}', 'audit_log', 'UPDATE, DELETE, TRUNCATE, TRIGGER')"
    );
    assert_eq!(servers.database.ask(&may), "f");
}

#[test]
fn a_replica_that_may_not_migrate_says_who_has_to() {
    let Some((servers, url)) = servers() else {
        return;
    };
    let refused = |remedy: &str| {
        let Err(said) = replica(&servers, &url).try_start() else {
            panic!("it starts");
        };
        assert!(said.contains(remedy), "{said}");
    };
    refused("run `cep-gateway migrate` once");
    let (migrated, said) = migrate(&servers.database_url(), "nobody");
    assert!(!migrated && said.contains("CREATE ROLE nobody"), "{said}");
    // The schema is there, and the role may read nothing of it.
    refused("as CEP_SERVING_ROLE");
    let (migrated, said) = migrate(&servers.database_url(), USER);
    assert!(
        !migrated && said.contains("serve with another role"),
        "{said}"
    );
    let (migrated, said) = migrate(&url, ROLE);
    assert!(!migrated, "{said}");
}

#[test]
fn an_embedded_database_has_no_roles() {
    let folder = tempfile::tempdir().unwrap();
    let mut migrate = command(folder.path());
    let said = refusal(migrate.env("CEP_SERVING_ROLE", ROLE).arg("migrate"));
    assert!(said.contains("leave the serving role out"), "{said}");
}
