//! The public audit of GraphQL over HTTP, run against the endpoint over a real socket.

use std::path::Path;

use serde_json::Value;
use testkit::skip;
use tokio::process::Command;

use crate::person::{Demo, Person};

/// Audits in this version of `graphql-http`; fewer would mean that some were not run.
const AUDITS: u64 = 61;

/// Its notices are of what is optional: the endpoint refuses GET, so that no link has an effect.
#[tokio::test]
async fn the_graphql_over_http_audit_finds_no_error_and_no_warning() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/system/graphql_over_http");
    if !folder.join("node_modules/graphql-http").is_dir() {
        return skip("graphql-http is missing; scripts/test installs it");
    }
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let audit = Command::new("node")
        .arg(folder.join("audit.js"))
        .env("URL", gateway.url("/graphql"))
        .env("SESSION", member.cookie("cep_session").unwrap())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    assert!(audit.status.success(), "{audit:?}");
    let report: Value = serde_json::from_slice(&audit.stdout).unwrap();
    assert_eq!(report["audits"], AUDITS);
    let found = report["found"].as_array().unwrap();
    let mut faults = found.iter().filter(|audit| audit["status"] != "notice");
    assert_eq!(faults.next(), None);
}
