//! Personal data and secrets appear in no log line and not in the database.

use domain::proofs::{Proof, ProofField};
use serde_json::{Value, json};

use crate::archive::everything_under;
use crate::gateway::{Gateway, Key, Plan, endpoints, json_of, request, soon};
use crate::person::{Demo, Person};

/// Sends requests to every endpoint for a proof of 8,675,309.17 pesos, for every error, and with an
/// invalid field; returns the names in the proof.
pub(crate) async fn ask_for_everything(gateway: &Gateway, key: &Key) -> Vec<String> {
    let mut names = Vec::new();
    for endpoint in endpoints() {
        let sound = request(42, "8675309.17");
        let answer = gateway.post(endpoint, key, &sound).await;
        assert_eq!(answer.status(), 200);
        if endpoint == "xml" {
            let proof = Proof::parse(&answer.bytes().await.unwrap()).unwrap();
            names.extend(proof.written(ProofField::BeneficiaryName));
            names.extend(proof.written(ProofField::PayerName));
        }
        for amount in [
            "404.00", "404.02", "429.00", "500.00", "502.00", "502.01", "503.00", "504.00",
        ] {
            gateway.post(endpoint, key, &request(42, amount)).await;
        }
        let mut faulty = sound;
        faulty["cuenta"] = json!("0020100777777777711");
        gateway.post(endpoint, key, &faulty).await;
    }
    names
}

/// A stored lookup that has reached a state.
async fn stored(gateway: &Gateway, key: &Key, amount: &str, state: &str) -> Value {
    let created = gateway.post("lookups", key, &request(42, amount)).await;
    let created = json_of(created, 202).await;
    let path = format!("/v1/cep/lookups/{}", created["id"].as_str().unwrap());
    let mut lookup = Value::Null;
    soon("it is attempted", async || {
        lookup = json_of(gateway.read(&path, key).await, 200).await;
        lookup["state"] == state
    })
    .await;
    lookup
}

#[tokio::test]
async fn accounts_names_amounts_and_keys_reach_neither_the_log_nor_the_database() {
    let gateway = Plan::new()
        .with("CEP_LOG", "trace")
        .with("CEP_BANK_TIMEOUT", "0.5")
        .start();
    let key = gateway.roomy_key();
    let secret = key.full.split_once('.').unwrap().1.to_owned();
    let mut canaries = [
        &*key.full,
        &secret,
        "002010077777777771",
        "77777777",
        "8675309.17",
        "867530917",
        "MBAN01002611180000000042",
        "canary-cookie",
    ]
    .map(str::to_owned)
    .to_vec();
    canaries.extend(ask_for_everything(&gateway, &key).await);
    for (amount, state) in [
        ("8675309.17", "delivered"),
        ("404.00", "not_found"),
        ("404.02", "waiting"),
    ] {
        let told = stored(&gateway, &key, amount, state).await;
        assert_eq!(told["question"]["cuenta"], "002010077777777771");
    }
    let query = gateway.url("/v1/cep/xml?cuenta=002010077777777771&monto=8675309.17");
    let odd = gateway
        .client
        .post(query)
        .header("x-api-key", "cep_test_AAAAAAAA.canary")
        .header("cookie", "canary-cookie");
    assert_eq!(odd.send().await.unwrap().status(), 401);
    let logged = ["\"outcome\":\"delivered\"", &key.id];
    let database = assert_neither_has(gateway, &logged, &canaries);
    // The state of the payment of a stored lookup that waits.
    assert!(!database.windows(7).any(|window| window == b"settled"));
}

/// Stops a gateway that has logged these words, and asserts that none of the canaries is in its log or in its data
/// folder, whose content it returns.
fn assert_neither_has(gateway: Gateway, logged: &[&str], canaries: &[String]) -> Vec<u8> {
    let folder = gateway.stop();
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    for word in logged {
        assert!(log.contains(word), "the log lacks {word}");
    }
    let database = everything_under(&folder.path().join("data"));
    for canary in canaries {
        assert!(!log.contains(canary), "{canary} is in the log");
        let mut windows = database.windows(canary.len());
        let is_stored = windows.any(|window| window == canary.as_bytes());
        assert!(!is_stored, "{canary} is in the data folder");
    }
    database
}

#[tokio::test]
async fn tokens_codes_and_secrets_of_people_reach_neither_the_log_nor_the_database() {
    let gateway = Plan::new().with("CEP_LOG", "trace").start();
    let mut person = Person::stranger(&gateway);
    let callback = person.code_for(Demo::Admin).await;
    let ticket = person.cookie("cep_session_sign_in").unwrap().to_owned();
    let address = reqwest::Url::parse(&callback).unwrap();
    let answered: Vec<_> = address.query_pairs().into_owned().collect();
    person.follow(&callback).await;
    let token = person.cookie("cep_session").unwrap().to_owned();
    let mut canaries: Vec<_> = ticket.split('.').skip(1).map(str::to_owned).collect();
    // The address that the sign-in ends at is no secret; nor is the provider's.
    canaries.remove(3);
    let secrets = answered.iter().filter(|(name, _)| name != "iss");
    canaries.extend(secrets.map(|(_, value)| value.clone()));
    canaries.extend(token.split('.').map(str::to_owned));
    canaries.push("Admin Demo".to_owned());

    let over_rest = person.create_key("canary", "test").await.full;
    let create =
        "mutation { createKey(input: { name: \"canary\", env: TEST }) { key { id } apiKey } }";
    let made = person.ask(create, json!({})).await;
    let made = &made["createKey"];
    let rotate = "mutation($id: ID!) { rotateKey(input: { id: $id }) { apiKey } }";
    let rotated = person.ask(rotate, json!({ "id": made["key"]["id"] })).await;
    let over_graphql = [&made["apiKey"], &rotated["rotateKey"]["apiKey"]];
    let secrets = over_graphql.map(|secret| secret.as_str().unwrap().to_owned());
    for full in secrets.into_iter().chain([over_rest]) {
        canaries.push(full.split_once('.').unwrap().1.to_owned());
    }
    // An invalid session token and a failed sign-in are logged with their causes.
    person.hold("cep_session", &format!("{token}x"));
    person.follow("/keys").await;
    person.follow(&callback).await;
    person.hold("cep_session", &token);
    person.sign_out().await;

    let short = canaries.iter().find(|canary| canary.len() <= 8);
    assert_eq!(short, None, "it is no canary");
    assert_neither_has(gateway, &["/auth/callback", "/graphql"], &canaries);
}

#[tokio::test]
async fn every_log_line_is_one_json_object_with_a_utc_time() {
    let (gateway, key) = Gateway::with_key();
    gateway.status_of(&key).await;
    gateway.get("/nowhere").await;
    let folder = gateway.stop();
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(log.lines().count() >= 3, "{log}");
    for line in log.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(line["timestamp"].as_str().unwrap().ends_with('Z'), "{line}");
        assert!(line["level"].is_string(), "{line}");
    }
}
