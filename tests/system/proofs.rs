//! Every endpoint and every outcome, over real sockets, through the real portal adapter and the
//! sandbox bank.

use std::time::Duration;

use axum::body::Bytes;
use domain::proof::Proof;
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::free_port;

use crate::gateway::{CountingBank, Gateway, Key, Plan, endpoints, json_of, request};

/// The body of a delivery.
async fn delivered(gateway: &Gateway, key: &Key, path: &str) -> Bytes {
    let asked = gateway
        .keyed(Method::POST, path, key)
        .header("content-type", "application/json; charset=utf-8")
        .body(request(8, "1234.56").to_string());
    let answer = asked.send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    assert_eq!(answer.headers()["x-seal"], "valid", "{path}");
    answer.bytes().await.unwrap()
}

/// The forms in which the endpoints deliver it are tested at the REST API.
#[tokio::test]
async fn all_endpoints_deliver_the_same_proof() {
    let (gateway, key) = Gateway::with_key();
    let mut xmls = Vec::new();
    for prefix in ["/v1/cep", "/api/v1/cep"] {
        for endpoint in endpoints() {
            let body = delivered(&gateway, &key, &format!("{prefix}/{endpoint}")).await;
            match endpoint {
                "xml" | "xml_auto" => xmls.push(body),
                "pdf" | "pdf_auto" => assert!(body.starts_with(b"%PDF-"), "{endpoint}"),
                "zip_auto" => assert!(body.starts_with(b"PK"), "{endpoint}"),
                _ => {
                    let body: Value = serde_json::from_slice(&body).unwrap();
                    assert_eq!(body["ok"], true, "{endpoint}");
                }
            }
        }
    }
    assert_eq!(xmls.len(), 4);
    assert!(
        xmls.windows(2).all(|pair| pair[0] == pair[1]),
        "the bytes of one proof changed"
    );
    let proof = Proof::parse(&xmls[0]).unwrap();
    assert_eq!(
        (proof.tracking_key.as_str(), proof.centavos),
        ("MBAN01002611180000000008", 123_456)
    );
}

#[tokio::test]
async fn a_proof_that_was_delivered_before_says_so_to_its_customer_alone() {
    let (gateway, key) = Gateway::with_key();
    let seen = async |amount| {
        let answer = gateway.post("json", &key, &request(8, amount)).await;
        json_of(answer, 200).await["visto"].clone()
    };
    let never = json!({ "veces": 0, "primera_vez": null });
    assert_eq!(seen("1234.56").await, never);
    gateway.post("pdf", &key, &request(8, "1234.56")).await;
    let again = seen("1234.56").await;
    assert_eq!(again["veces"], 2);
    assert!(again["primera_vez"].is_string());
    assert_eq!(seen("1234.57").await["veces"], 0);
}

/// The reason of a 404, the code of the payment's state and the bank's word for it.
type Told = Option<(&'static str, &'static str, &'static str)>;

#[rstest]
#[case("404.00", 404, "NOT_FOUND", None)]
#[case("404.01", 404, "NOT_FOUND", None)]
#[case("404.02", 404, "NOT_FOUND", Some(("proof_not_issued", "settled", "Liquidado")))]
#[case("404.03", 404, "NOT_FOUND", Some(("payment_returned", "returned", "Devuelto")))]
#[case("404.04", 404, "NOT_FOUND", Some(("payment_in_process", "in_process", "En proceso")))]
#[case("404.05", 404, "NOT_FOUND", Some(("payment_canceled", "canceled", "Cancelado")))]
#[case("404.06", 404, "NOT_FOUND", Some(("payment_rejected", "rejected", "Rechazado")))]
#[case("404.07", 404, "NOT_FOUND", Some(("payment_in_process", "return_in_process", "En proceso de devolución")))]
#[case("404.08", 404, "NOT_FOUND", Some(("payment_rejected", "not_settled", "No liquidado")))]
#[case("404.09", 404, "NOT_FOUND", Some(("not_in_spei", "not_found", "No encontrado")))]
#[case("404.10", 404, "NOT_FOUND", Some(("payment_returned", "sent_back", "Retornado")))]
#[case("429.00", 503, "BANK_THROTTLED", None)]
#[case("429.01", 503, "BANK_THROTTLED", None)]
#[case("500.00", 503, "BANK_UNAVAILABLE", None)]
#[case("502.00", 502, "BANK_PROTOCOL_ERROR", None)]
#[case("502.01", 502, "BANK_PROTOCOL_ERROR", None)]
#[case("503.00", 503, "BANK_UNAVAILABLE", None)]
#[case("504.00", 504, "BANK_TIMEOUT", None)]
#[tokio::test]
async fn a_magic_amount_has_its_outcome_on_every_endpoint(
    #[case] amount: &str,
    #[case] status: u16,
    #[case] code: &str,
    #[case] told: Told,
) {
    let gateway = Plan::new().with("CEP_BANK_TIMEOUT", "0.6").start();
    let key = gateway.roomy_key();
    let body = request(1, amount);
    let asked = endpoints().map(|endpoint| gateway.post(endpoint, &key, &body));
    for answer in futures::future::join_all(asked).await {
        assert!(answer.headers().contains_key("ratelimit"));
        assert_eq!(answer.headers()["cache-control"], "no-store");
        let wait = answer.headers().get("retry-after").cloned();
        let body = json_of(answer, status).await;
        assert_eq!(body["error"], code, "{body}");
        assert!(!body["message"].as_str().unwrap().is_empty());
        if status == 503 {
            let wait = wait.expect("Retry-After");
            assert!(wait.to_str().unwrap().parse::<u32>().unwrap() >= 1);
        }
        let details = &body["details"];
        if let Some((reason, state, text)) = told {
            let payment = &details["payment"];
            let found = [&details["reason"], &payment["state"], &payment["text"]];
            assert_eq!(found, [reason, state, text], "{body}");
            assert!(payment["processed_at"].is_string(), "{body}");
        } else if status == 404 {
            assert_eq!(details["reason"], "not_in_spei");
        }
    }
}

#[tokio::test]
async fn a_second_format_and_a_repeat_ask_the_bank_for_what_is_missing() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = bank.gateway();
    let key = gateway.live_key();
    for endpoint in ["xml", "xml", "xml_base64", "pdf", "base64", "pdf_auto"] {
        let answer = gateway.post(endpoint, &key, &request(8, "1234.56")).await;
        assert_eq!(answer.status(), 200, "{endpoint}");
    }
    let [ask, xml, pdf] = [
        "valida.do",
        "descarga.do?formato=XML",
        "descarga.do?formato=PDF",
    ];
    assert_eq!(bank.asked(), [ask, xml, ask, pdf]);
    // A ZIP holds both files of one session.
    for _ in 0..2 {
        let answer = gateway.post("zip_auto", &key, &request(8, "1234.56")).await;
        assert_eq!(answer.status(), 200);
    }
    assert_eq!(bank.asked()[4..], [ask, xml, pdf]);
}

#[tokio::test]
async fn a_live_key_never_reaches_the_sandbox() {
    let nobody = format!("http://127.0.0.1:{}/cep", free_port());
    let gateway = Plan::new().with("CEP_BANK_URL", nobody).start();
    let key = gateway.live_key();
    assert!(key.full.starts_with("cep_live_"));
    let answer = gateway.post("xml", &key, &request(8, "1234.56")).await;
    let error = json_of(answer, 503).await;
    assert_eq!(error["error"], "BANK_UNAVAILABLE");
}
