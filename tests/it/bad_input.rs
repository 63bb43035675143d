//! Hostile and mistaken input: each gets its code, names the field, and changes nothing.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::gateway::{Gateway, endpoints, json_of, request};

/// A body with one field replaced by this JSON text.
fn with(field: &str, value: &str) -> String {
    let mut body = request(1, "10.00");
    body[field] = json!("@@");
    body.to_string().replace("\"@@\"", value)
}

#[tokio::test]
async fn a_faulty_field_is_named_with_its_problem() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let tomorrow = (domain::calendar::today(now()) + chrono::Days::new(1)).to_string();
    let cases: Vec<(&str, Vec<String>)> = vec![
        (
            "fecha",
            texts(&["2025-02-30", "2025-2-3", &tomorrow, "03/02/2025", ""]),
        ),
        ("fecha", raw(&["20250203", "true", "[]"])),
        (
            "clave_rastreo",
            texts(&[
                "",
                &"A".repeat(31),
                "AB\\u0007C",
                "\\u0410BC",
                "A<B",
                "A\\nB",
            ]),
        ),
        ("clave_rastreo", raw(&["12345", "{}", "null"])),
        (
            "cuenta",
            texts(&[
                "123456789012345",
                "12345678901234567",
                "1234567890123456789",
                "00201007777777777a",
            ]),
        ),
        ("cuenta", texts(&["０１２１８０００４４１２３４５６７８"])),
        ("cuenta", raw(&["2010077777777771", "false"])),
        (
            "monto",
            raw(&[
                "0", "-1", "0.001", "1e2", "1E400", "true", "null", "[1]", "{}",
            ]),
        ),
        ("monto", texts(&["1,234.56", "NaN", "", "10.0.0", " 10"])),
        ("emisor", texts(&["4001", "400120", "", "４００１２"])),
        ("emisor", raw(&["40012", "null"])),
        ("receptor", texts(&["12", "abcde"])),
    ];
    for (field, values) in cases {
        for value in values {
            let body = with(field, &value);
            for endpoint in endpoints() {
                if endpoint.ends_with("_auto") && value == "null" && field == "emisor" {
                    continue; // left out, so it is inferred
                }
                let error =
                    json_of(gateway.post_text(endpoint, &key, body.clone()).await, 400).await;
                assert_eq!(error["error"], "INVALID_REQUEST", "{body}");
                let fields = error["details"]["fields"].as_array().unwrap();
                assert_eq!(fields.len(), 1, "{body}: {error}");
                assert_eq!(fields[0]["field"], field, "{body}");
                assert!(!fields[0]["message"].as_str().unwrap().is_empty());
            }
        }
    }
}

/// A code is refused only if the list of participants is as new as the transfer.
#[tokio::test]
async fn a_code_that_the_list_of_the_day_lacks_is_refused() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    for code in ["40999", "99999"] {
        for endpoint in endpoints() {
            let mut body = request(1, "10.00");
            body["fecha"] = json!("2026-09-01");
            body["emisor"] = json!(code);
            let error = json_of(gateway.post(endpoint, &key, &body).await, 400).await;
            let fields = error["details"]["fields"].as_array().unwrap();
            assert_eq!(fields.len(), 1, "{code}: {error}");
            assert_eq!(fields[0]["field"], "emisor", "{code}");
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test that asks for tomorrow must know today"
)]
fn now() -> chrono::DateTime<chrono::Utc> {
    chrono::Utc::now()
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| format!("\"{value}\"")).collect()
}

fn raw(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

#[tokio::test]
async fn all_missing_fields_are_named_at_once() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    for endpoint in endpoints() {
        let error = json_of(gateway.post(endpoint, &key, &json!({})).await, 400).await;
        let names: Vec<_> = error["details"]["fields"]
            .as_array()
            .unwrap()
            .iter()
            .map(|field| field["field"].as_str().unwrap())
            .collect();
        let mandatory = [
            "fecha",
            "clave_rastreo",
            "cuenta",
            "monto",
            "emisor",
            "receptor",
        ];
        let expected = if endpoint.ends_with("_auto") {
            &mandatory[..4]
        } else {
            &mandatory[..]
        };
        assert_eq!(names, expected, "{endpoint}");
    }
}

#[tokio::test]
async fn a_body_that_is_no_json_object_is_refused() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let twice = request(1, "10.00")
        .to_string()
        .replacen('{', "{\"monto\":1.00,", 1);
    let escaped = request(1, "10.00")
        .to_string()
        .replacen('{', "{\"mont\\u006f\":1.00,", 1);
    let deep = request(1, "10.00").to_string().replacen(
        '{',
        &format!("{{\"x\":{}{},", "[".repeat(9), "]".repeat(9)),
        1,
    );
    for body in [
        "",
        " ",
        "null",
        "[]",
        "\"text\"",
        "1",
        "{",
        "{}}",
        "{\"a\"",
        "nonsense",
        "\u{feff}{}",
        &twice,
        &escaped,
        &deep,
    ] {
        let error = json_of(gateway.post_text("xml", &key, body.to_owned()).await, 400).await;
        assert_eq!(error["error"], "INVALID_REQUEST", "{body:?}");
    }
    let error = json_of(
        gateway.post_text("xml", &key, vec![b'{', 0xff, b'}']).await,
        400,
    )
    .await;
    assert_eq!(error["error"], "INVALID_REQUEST");
}

#[tokio::test]
async fn unknown_keys_are_ignored_and_an_amount_that_no_double_holds_is_exact() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let body = with("monto", "9007199254740993.01").replacen('{', "{\"nota\":{\"a\":[1,2]},", 1);
    let answer = gateway.post_text("xml", &key, body).await;
    assert_eq!(answer.status(), 200);
    let proof = domain::proof::Proof::parse(&answer.bytes().await.unwrap()).unwrap();
    assert_eq!(proof.centavos, 900_719_925_474_099_301);
}

#[tokio::test]
async fn the_central_banks_four_digits_are_good() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    assert_eq!(
        gateway
            .post_text("xml", &key, with("emisor", "\"2001\""))
            .await
            .status(),
        200
    );
}

#[tokio::test]
async fn one_bank_on_both_sides_is_refused_named_or_inferred() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let mut same = request(1, "10.00");
    same["receptor"] = json!("40012");
    let mut inferred = request(1, "10.00");
    inferred["cuenta"] = json!("012180001234567899");
    inferred
        .as_object_mut()
        .unwrap()
        .retain(|field, _| field != "emisor" && field != "receptor");
    for body in [same, inferred] {
        let error = json_of(gateway.post("xml_auto", &key, &body).await, 400).await;
        assert_eq!(
            (&error["error"], &error["details"]["reason"]),
            (&json!("INVALID_REQUEST"), &json!("same_institution"))
        );
    }
}

#[tokio::test]
async fn sixteen_kibibytes_pass_and_one_byte_more_does_not() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let body = request(1, "10.00").to_string();
    let padded = |length: usize| format!("{body}{}", " ".repeat(length - body.len()));
    assert_eq!(
        gateway
            .post_text("xml", &key, padded(16_384))
            .await
            .status(),
        200
    );
    let error = json_of(gateway.post_text("xml", &key, padded(16_385)).await, 413).await;
    assert_eq!(error["error"], "PAYLOAD_TOO_LARGE");
}

#[tokio::test]
async fn other_content_types_are_refused() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin1",
        "application/xml",
    ] {
        let sent = gateway
            .client
            .post(gateway.url("/v1/cep/xml"))
            .header("x-api-key", &key.full);
        let answer = sent
            .header("content-type", kind)
            .body(request(1, "10.00").to_string())
            .send()
            .await
            .unwrap();
        assert_eq!(
            json_of(answer, 415).await["error"],
            "UNSUPPORTED_MEDIA_TYPE",
            "{kind}"
        );
    }
    let sent = gateway
        .client
        .post(gateway.url("/v1/cep/xml"))
        .header("x-api-key", &key.full);
    let answer = sent
        .body(request(1, "10.00").to_string())
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 415);
}

#[tokio::test]
async fn unknown_routes_and_wrong_methods_have_the_contracts_body() {
    let gateway = Gateway::start();
    for (method, path, status, code) in [
        (
            Method::POST,
            "/v1/cep/xls",
            StatusCode::NOT_FOUND,
            "ROUTE_NOT_FOUND",
        ),
        (
            Method::POST,
            "/v1/cep/xml/",
            StatusCode::NOT_FOUND,
            "ROUTE_NOT_FOUND",
        ),
        (
            Method::GET,
            "/nowhere",
            StatusCode::NOT_FOUND,
            "ROUTE_NOT_FOUND",
        ),
        (
            Method::GET,
            "/v1/cep/xml",
            StatusCode::METHOD_NOT_ALLOWED,
            "METHOD_NOT_ALLOWED",
        ),
        (
            Method::DELETE,
            "/api/v1/cep/pdf",
            StatusCode::METHOD_NOT_ALLOWED,
            "METHOD_NOT_ALLOWED",
        ),
    ] {
        let answer = gateway
            .client
            .request(method, gateway.url(path))
            .send()
            .await
            .unwrap();
        assert!(answer.headers().contains_key("x-request-id"));
        if status == StatusCode::METHOD_NOT_ALLOWED {
            assert_eq!(answer.headers()["allow"], "POST");
        }
        let body: Value = json_of(answer, status.as_u16()).await;
        assert_eq!(body["error"], code);
        assert!(body["details"].is_object());
    }
}

#[tokio::test]
async fn a_sane_request_id_is_kept_and_any_other_replaced() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let id = async |sent: &str| {
        let request_ = gateway
            .client
            .post(gateway.url("/v1/cep/xml"))
            .header("x-request-id", sent);
        let request_ = request_
            .header("x-api-key", &key.full)
            .header("content-type", "application/json");
        let answer = request_
            .body(request(1, "10.00").to_string())
            .send()
            .await
            .unwrap();
        answer.headers()["x-request-id"]
            .to_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(id("order-17.b:3").await, "order-17.b:3");
    for insane in ["", "a b", "<script>", &"x".repeat(65)] {
        assert!(uuid::Uuid::parse_str(&id(insane).await).is_ok(), "{insane}");
    }
}
