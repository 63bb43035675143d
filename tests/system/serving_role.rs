//! Replicas that serve as a role of the database that owns nothing.

use std::process::Command;

use reqwest::StatusCode;
use testkit::postgres::USER;

use crate::gateway::{Plan, command, refusal, soon};
use crate::person::{Demo, Person};
use crate::replicas;
use crate::servers::Servers;

const ROLE: &str = "cep_serves";

/// Servers with a role that serves, and its URL.
fn servers() -> Option<(Servers, String)> {
    let servers = Servers::start_own(&[])?;
    assert!(servers.database.server().tool("createuser", &[ROLE]));
    let url = servers.database_url();
    let url = url.replace(&format!("//{USER}@"), &format!("//{ROLE}@"));
    Some((servers, url))
}

/// Runs `migrate` by the URL of a user and for a role.
fn migrate(servers: &Servers, url: &str, role: &str) -> Command {
    let mut migrate = command(servers.redis.folder());
    migrate
        .env("CEP_DATABASE_URL", url)
        .env("CEP_SERVING_ROLE", role)
        .arg("migrate");
    migrate
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
    let migrated = migrate(&servers, &servers.database_url(), ROLE)
        .output()
        .unwrap();
    assert!(migrated.status.success(), "{migrated:?}");
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
    let is_warned = async || owner.log().contains(warning);
    soon("the owner is warned", is_warned).await;
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
        let said = replica(&servers, &url).try_start().err();
        let said = said.expect("it doesn't start");
        assert!(said.contains(remedy), "{said}");
    };
    refused("run `cep-gateway migrate` once");
    let said = refusal(&mut migrate(&servers, &servers.database_url(), "nobody"));
    assert!(said.contains("CREATE ROLE nobody"), "{said}");
    // The schema is there, and the role may read nothing of it.
    refused("as CEP_SERVING_ROLE");
    let said = refusal(&mut migrate(&servers, &servers.database_url(), USER));
    assert!(said.contains("serve with another role"), "{said}");
    refusal(&mut migrate(&servers, &url, ROLE));
}

#[test]
fn an_embedded_database_has_no_roles() {
    let folder = tempfile::tempdir().unwrap();
    let mut migrate = command(folder.path());
    let said = refusal(migrate.env("CEP_SERVING_ROLE", ROLE).arg("migrate"));
    assert!(said.contains("leave the serving role out"), "{said}");
}
