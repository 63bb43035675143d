//! Mistaken input through the whole program: each fault gets its code and names its field. The faults themselves are
//! tested in the domain and at the REST API.

use reqwest::Method;
use rstest::rstest;
use serde_json::json;

use crate::gateway::{Gateway, endpoints, json_of, request};

#[tokio::test]
async fn all_missing_fields_are_named_at_once() {
    let (gateway, key) = Gateway::with_key();
    for endpoint in endpoints() {
        let error = json_of(gateway.post(endpoint, &key, &json!({})).await, 400).await;
        assert_eq!(error["error"], "INVALID_REQUEST", "{endpoint}");
        let fields = error["details"]["fields"].as_array().unwrap().iter();
        let names: Vec<_> = fields.map(|it| it["field"].as_str().unwrap()).collect();
        let (given, banks) = names.split_at(4);
        assert_eq!(given, ["fecha", "clave_rastreo", "cuenta", "monto"]);
        let needed: &[&str] = if endpoint.ends_with("_auto") {
            &[]
        } else {
            &["emisor", "receptor"]
        };
        assert_eq!(banks, needed, "{endpoint}");
    }
}

#[tokio::test]
async fn unknown_keys_are_ignored_and_an_amount_that_no_double_holds_is_exact() {
    let (gateway, key) = Gateway::with_key();
    let mut body = request(1, "10.00");
    body["nota"] = json!({ "a": [1, 2] });
    body["monto"] = json!("9007199254740993.01");
    let body = body.to_string();
    let body = body.replace("\"9007199254740993.01\"", "9007199254740993.01");
    let answer = gateway.post_text("xml", &key, body).await;
    assert_eq!(answer.status(), 200);
    let proof = domain::proof::Proof::parse(&answer.bytes().await.unwrap()).unwrap();
    assert_eq!(proof.centavos, 900_719_925_474_099_301);
}

#[rstest]
#[case(Method::POST, "/v1/cep/xls", 404, "ROUTE_NOT_FOUND")]
#[case(Method::POST, "/v1/cep/xml/", 404, "ROUTE_NOT_FOUND")]
#[case(Method::GET, "/nowhere", 404, "ROUTE_NOT_FOUND")]
#[case(Method::GET, "/v1/cep/xml", 405, "METHOD_NOT_ALLOWED")]
#[case(Method::DELETE, "/api/v1/cep/pdf", 405, "METHOD_NOT_ALLOWED")]
#[tokio::test]
async fn unknown_routes_and_wrong_methods_have_the_contracts_body(
    #[case] method: Method,
    #[case] path: &str,
    #[case] status: u16,
    #[case] code: &str,
) {
    let gateway = Gateway::start();
    let asked = gateway.client.request(method, gateway.url(path));
    let answer = asked.send().await.unwrap();
    assert!(answer.headers().contains_key("x-request-id"));
    let allowed = answer.headers().get("allow").cloned();
    assert_eq!(allowed.is_some_and(|it| it == "POST"), status == 405);
    let body = json_of(answer, status).await;
    assert_eq!(body["error"], code);
    assert!(body["details"].is_object());
}
