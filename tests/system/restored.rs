//! A database that is put back to a copy of before: nothing that was ended since comes to life again.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt as _;

use reqwest::Method;
use serde_json::json;
use testkit::free_port;

use crate::gateway::{Gateway, Plan, command, refusal};
use crate::person::{Demo, Person};
use crate::shared_sessions::{beside, start_provider};

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_brings_back_no_session_and_no_webhook() {
    let public = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let provider = start_provider(public).await;
    let start = |plan: Plan| {
        beside(plan, &provider, public)
            .with("CEP_LISTEN", public)
            .start()
    };
    let gateway = start(Plan::new());
    let [signed_out, other] = [(); 2].map(|()| Person::signed_in(&gateway, Demo::Member));
    let (signed_out, other) = (signed_out.await, other.await);
    let removed = other.add_webhook("https://hooks.example/1", &["lookup.failed"]);
    let removed = removed.await;

    let folder = gateway.stopped().await;
    let [database, copy] = ["data/cep.db", "copy.db"].map(|name| folder.path().join(name));
    fs::copy(&database, &copy).unwrap();
    let gateway = start(Plan::in_folder(folder));
    signed_out.sign_out().await;
    other.told(Method::DELETE, &removed, 200).await;
    signed_out.told(Method::GET, "/keys", 401).await;
    other.told(Method::GET, &removed, 404).await;
    let refused = gateway.run(&["after-restore"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(
        said.contains("another gateway serves on this database"),
        "{said}"
    );
    other.told(Method::GET, "/keys", 200).await;

    let folder = gateway.stopped().await;
    fs::copy(&copy, &database).unwrap();
    let ended = command(folder.path())
        .arg("after-restore")
        .output()
        .unwrap();
    let said = String::from_utf8(ended.stdout).unwrap();
    let told = "1 webhook is disabled until its owner enables it.";
    assert!(said.contains(told), "{said}");
    let log = String::from_utf8(ended.stderr).unwrap();
    assert!(log.contains(r#""webhooks_disabled":1"#), "{log}");
    let again = command(folder.path()).arg("after-restore").output();
    let said = String::from_utf8(again.unwrap().stdout).unwrap();
    let told = "no webhook was enabled; 1 was disabled already.";
    assert!(said.contains(told), "{said}");
    let gateway = start(Plan::in_folder(folder));
    for person in [&signed_out, &other] {
        person.told(Method::GET, "/keys", 401).await;
    }
    let again = signed_in_again(&gateway).await;
    let webhook = again.told(Method::GET, &removed, 200).await;
    assert_eq!(webhook["enabled"], false, "{webhook}");
    assert_eq!(webhook["disabled_reason"], "restored", "{webhook}");
    let enable = json!({ "enabled": true });
    let enabled = again.send(Method::PATCH, &removed, &enable, 200).await;
    assert_eq!(enabled["enabled"], true);
}

#[test]
fn what_is_no_restored_database_is_refused_and_not_made_one() {
    let folder = tempfile::tempdir().unwrap();
    let after = || refusal(command(folder.path()).arg("after-restore"));
    let data = folder.path().join("data");
    let database = data.join("cep.db");
    let missing = format!("there is no database {} (CEP_DATA_DIR)", database.display());
    let said = after();
    assert!(said.contains(&missing), "{said}");
    assert!(!data.exists());

    fs::DirBuilder::new().mode(0o700).create(&data).unwrap();
    let said = after();
    assert!(said.contains(&missing), "{said}");
    assert!(fs::read_dir(&data).unwrap().next().is_none());

    fs::write(&database, "").unwrap();
    let said = after();
    assert!(said.contains("it has no tables"), "{said}");
    let said = after();
    assert!(
        said.contains("it has no tables"),
        "no table was made: {said}"
    );
}

/// Signs in until a token of another second than the restore's is there: tokens tell whole seconds.
async fn signed_in_again(gateway: &Gateway) -> Person {
    let mut person = None;
    crate::gateway::soon("a session after the restore", async || {
        let signed_in = Person::signed_in(gateway, Demo::Member).await;
        let answer = signed_in
            .request(Method::GET, "/keys")
            .send()
            .await
            .unwrap();
        person = answer.status().is_success().then_some(signed_in);
        person.is_some()
    })
    .await;
    person.unwrap()
}
