//! The content of proofs as JSON: the beneficiary that is compared, and earlier deliveries.

use domain::outcome::Outcome;
use serde_json::{Value, json};
use testkit::fakes::Fault;

use crate::data::{GOOD_KEY, UNCAPPED_KEY};
use crate::harness::{Exchange, Harness, body, json_of};
use crate::lookups;

/// Asks an endpoint with a key, and returns the body of the proof.
async fn fetch(harness: &Harness, endpoint: &str, key: &str, changes: &[(&str, &str)]) -> Value {
    let path = format!("/v1/cep/{endpoint}");
    let response = harness.post_by(key, &path, body(changes)).response().await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["x-seal"], "not_checked");
    let bytes = response.bytes().await.unwrap();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// A good body with further members.
fn with(members: &str) -> String {
    let body = body(&[]);
    format!("{},{members}}}", body.trim_end_matches('}'))
}

#[tokio::test]
async fn the_beneficiary_is_compared_with_what_the_request_expects() {
    let harness = Harness::start().await;
    let another = r#""nombre_beneficiario":"Otro","rfc_beneficiario":"XAXX010101000""#;
    let nothing = r#""nombre_beneficiario":null,"rfc_beneficiario":" ""#;
    for (members, name, tax_id) in [
        (
            r#""nombre_beneficiario":"Beneficiario""#,
            "exacta",
            "no_pedida",
        ),
        (another, "ninguna", "no_disponible"),
        (nothing, "no_pedida", "no_pedida"),
    ] {
        for path in ["/v1/cep/json", "/v1/cep/json_auto"] {
            let answer = harness.post(path, with(members)).json_of(200).await;
            let expected = json!({ "nombre": name, "rfc": tax_id });
            assert_eq!(answer["coincidencias"], expected);
        }
    }
}

#[tokio::test]
async fn an_expected_beneficiary_that_is_no_text_is_refused_with_every_other_fault() {
    let harness = Harness::start().await;
    let members = r#""nombre_beneficiario":7,"rfc_beneficiario":["XAXX010101000"],"otra":1"#;
    let faulty = with(members).replace("1234.56", "\"mil\"");
    let answer = harness.post("/v1/cep/json", faulty).transcript().await;
    insta::assert_snapshot!("an_expected_beneficiary_that_is_no_text", answer);
    let ignoring = harness.post("/v1/cep/xml", with(members)).status();
    assert_eq!(ignoring.await, 200, "as an unknown member");
    let outcomes = [Outcome::InvalidRequest, Outcome::Delivered];
    assert_eq!(harness.outcomes().await, outcomes);
}

#[tokio::test]
async fn every_delivery_to_a_customer_counts_by_whichever_endpoint_and_key() {
    let harness = Harness::start().await;
    let first = fetch(&harness, "json", GOOD_KEY, &[]).await;
    assert_eq!(first["visto"], json!({ "veces": 0, "primera_vez": null }));
    fetch(&harness, "xml", GOOD_KEY, &[]).await;
    let unnamed = [("emisor", ""), ("receptor", "")];
    fetch(&harness, "pdf_auto", UNCAPPED_KEY, &unnamed).await;
    let again = fetch(&harness, "json_auto", UNCAPPED_KEY, &[]).await;
    assert_eq!(again["visto"]["veces"], 3);
    assert!(again["visto"]["primera_vez"].is_string());
    let worker = tokio::spawn(harness.gateway.lookups.worker.clone().run());
    let stored = lookups::with("1234.56", &json!({}));
    let stored = harness.create(stored, Some("wait=20")).await;
    assert_eq!(json_of(stored, 200).await["visto"]["veces"], 4);
    worker.abort();
    let after_it = fetch(&harness, "json", GOOD_KEY, &[]).await;
    assert_eq!(after_it["visto"]["veces"], 5);
    let another = fetch(&harness, "json", GOOD_KEY, &[("monto", "10.00")]).await;
    assert_eq!(another["visto"]["veces"], 0, "another payment");
}

#[tokio::test]
async fn a_request_that_delivers_nothing_does_not_count() {
    let harness = Harness::start().await;
    let amount = [("monto", "404.00")];
    harness.post("/v1/cep/json", body(&amount)).response().await;
    fetch(&harness, "json", GOOD_KEY, &[]).await;
    let requests = harness.gateway.requests();
    let delivered = requests.iter().map(|request| request.delivered.len());
    assert_eq!(delivered.collect::<Vec<_>>(), [0, 1]);
}

#[tokio::test]
async fn earlier_deliveries_that_cannot_be_read_are_null() {
    let harness = Harness::start().await;
    harness.post("/v1/cep/xml", body(&[])).response().await;
    let faults = harness.store_faults();
    faults.inject_into("deliveries", Fault::Fails);
    let answer = fetch(&harness, "json", GOOD_KEY, &[]).await;
    assert_eq!(answer["visto"], Value::Null);
    assert_eq!(answer["ok"], true);
}
