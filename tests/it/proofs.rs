//! Every endpoint and every outcome, over real sockets, through the real portal adapter and the
//! sandbox bank.

use std::io::{Cursor, Read};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::proof::Proof;
use reqwest::Response;
use rstest::rstest;
use serde_json::Value;

use crate::gateway::{CountingBank, Gateway, endpoints, json_of, request};

const AUTO: [&str; 4] = ["xml_auto", "pdf_auto", "zip_auto", "json_auto"];

/// Files of an answer: the XML and the PDF, as far as the endpoint delivers them.
async fn files(endpoint: &str, answer: Response) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
    assert_eq!(answer.status(), 200, "{endpoint}");
    let kind = answer.headers()["content-type"]
        .to_str()
        .unwrap()
        .to_owned();
    let disposition = answer.headers().get("content-disposition").cloned();
    let seal = answer.headers()["x-seal"].clone();
    let body = answer.bytes().await.unwrap().to_vec();
    let stem = "CEP-20261118-MBAN01002611180000000008";
    let attachment = |extension| format!("attachment; filename=\"{stem}.{extension}\"");
    match endpoint {
        "xml" | "xml_auto" => {
            assert_eq!(
                (kind.as_str(), disposition.unwrap()),
                ("application/xml", attachment("xml").parse().unwrap())
            );
            (Some(body), None)
        }
        "pdf" | "pdf_auto" => {
            assert_eq!(
                (kind.as_str(), disposition.unwrap()),
                ("application/pdf", attachment("pdf").parse().unwrap())
            );
            (None, Some(body))
        }
        "zip_auto" => {
            assert_eq!(
                (kind.as_str(), disposition.unwrap()),
                ("application/zip", attachment("zip").parse().unwrap())
            );
            let mut archive = zip::ZipArchive::new(Cursor::new(body)).unwrap();
            let mut entry = |name: &str| {
                let mut bytes = Vec::new();
                archive
                    .by_name(name)
                    .unwrap()
                    .read_to_end(&mut bytes)
                    .unwrap();
                bytes
            };
            let files = (
                Some(entry(&format!("{stem}.xml"))),
                Some(entry(&format!("{stem}.pdf"))),
            );
            assert_eq!(archive.len(), 2);
            files
        }
        "base64" | "xml_base64" => {
            let envelope: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(envelope["ok"], true);
            assert_eq!(envelope["seal"], seal.to_str().unwrap());
            assert_eq!(envelope.as_object().unwrap().len(), 5);
            let bytes = STANDARD.decode(envelope["data"].as_str().unwrap()).unwrap();
            if endpoint == "base64" {
                assert_eq!(envelope["content_type"], "application/pdf");
                assert_eq!(envelope["filename"], format!("{stem}.pdf"));
                (None, Some(bytes))
            } else {
                assert_eq!(envelope["content_type"], "application/xml");
                assert_eq!(envelope["filename"], format!("{stem}.xml"));
                (Some(bytes), None)
            }
        }
        "json" | "json_auto" => {
            let parsed: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(parsed["ok"], true);
            assert_eq!(parsed["cep"]["clave_rastreo"], "MBAN01002611180000000008");
            assert_eq!(parsed["cep"]["monto"], "1234.56");
            assert_eq!(parsed["sello"]["estado"], seal.to_str().unwrap());
            (None, None)
        }
        other => panic!("{other} is no endpoint"),
    }
}

#[tokio::test]
async fn all_endpoints_deliver_the_same_proof() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let mut xmls = Vec::new();
    for prefix in ["/v1/cep", "/api/v1/cep"] {
        for endpoint in endpoints() {
            let answer = gateway
                .client
                .post(gateway.url(&format!("{prefix}/{endpoint}")))
                .header("x-api-key", &key.full)
                .header("content-type", "application/json; charset=utf-8")
                .body(request(8, "1234.56").to_string())
                .send()
                .await
                .unwrap();
            let (xml, pdf) = files(endpoint, answer).await;
            xmls.extend(xml);
            if let Some(pdf) = pdf {
                assert!(pdf.starts_with(b"%PDF-"), "{endpoint}");
            }
        }
    }
    assert_eq!(xmls.len(), 8);
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
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let seen = async |amount| {
        let answer = gateway.post("json", &key, &request(8, amount)).await;
        json_of(answer, 200).await["visto"].clone()
    };
    let first = seen("1234.56").await;
    assert_eq!(
        first,
        serde_json::json!({ "veces": 0, "primera_vez": null })
    );
    gateway.post("pdf", &key, &request(8, "1234.56")).await;
    let again = seen("1234.56").await;
    assert_eq!(again["veces"], 2);
    assert!(again["primera_vez"].is_string());
    assert_eq!(seen("1234.57").await["veces"], 0);
}

/// A seal that anybody can make is no proof of a payment; `verify` isn't the only one to say so.
#[tokio::test]
async fn a_delivery_of_the_sandbox_bank_says_that_its_seal_proves_nothing() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let answer = gateway.post("json", &key, &request(8, "1234.56")).await;
    let answer = json_of(answer, 200).await;
    assert_eq!(answer["sello"]["estado"], "valid");
    let notices = answer["avisos"].as_array().unwrap();
    let codes: Vec<_> = notices.iter().map(|notice| &notice["codigo"]).collect();
    assert_eq!(
        codes,
        [
            "sello_del_banco_de_pruebas",
            "campos_sin_sellar_comparados_con_el_banco"
        ]
    );
}

/// Asserts the reason, the code of the payment's state and the bank's word for it.
fn assert_state(body: &Value, reason: &str, state: &str, text: &str) {
    let details = &body["details"];
    assert_eq!(details["reason"], reason, "{body}");
    let payment = &details["payment"];
    assert_eq!(
        (&payment["state"], &payment["text"]),
        (&state.into(), &text.into())
    );
    assert!(payment["processed_at"].is_string(), "{body}");
}

#[rstest]
#[case("404.00", 404, "NOT_FOUND")]
#[case("404.01", 404, "NOT_FOUND")]
#[case("404.02", 404, "NOT_FOUND")]
#[case("404.03", 404, "NOT_FOUND")]
#[case("404.04", 404, "NOT_FOUND")]
#[case("404.05", 404, "NOT_FOUND")]
#[case("404.06", 404, "NOT_FOUND")]
#[case("404.07", 404, "NOT_FOUND")]
#[case("404.08", 404, "NOT_FOUND")]
#[case("404.09", 404, "NOT_FOUND")]
#[case("404.10", 404, "NOT_FOUND")]
#[case("429.00", 503, "BANK_THROTTLED")]
#[case("429.01", 503, "BANK_THROTTLED")]
#[case("500.00", 503, "BANK_UNAVAILABLE")]
#[case("502.00", 502, "BANK_PROTOCOL_ERROR")]
#[case("502.01", 502, "BANK_PROTOCOL_ERROR")]
#[case("503.00", 503, "BANK_UNAVAILABLE")]
#[case("504.00", 504, "BANK_TIMEOUT")]
#[tokio::test]
async fn a_magic_amount_has_its_outcome_on_every_endpoint(
    #[case] amount: &str,
    #[case] status: u16,
    #[case] code: &str,
) {
    let gateway = crate::gateway::Plan::new()
        .with("CEP_BANK_TIMEOUT", "0.6")
        .start();
    let key = gateway.roomy_key();
    let body = request(1, amount);
    let asked = endpoints().map(|endpoint| gateway.post(endpoint, &key, &body));
    for answer in futures::future::join_all(asked).await {
        let retry_after = answer.headers().get("retry-after").cloned();
        assert!(answer.headers().contains_key("ratelimit"));
        assert_eq!(answer.headers()["cache-control"], "no-store");
        let body = json_of(answer, status).await;
        assert_eq!(body["error"], code, "{body}");
        assert!(!body["message"].as_str().unwrap().is_empty());
        if status == 503 {
            let seconds: u32 = retry_after
                .expect("Retry-After")
                .to_str()
                .unwrap()
                .parse()
                .unwrap();
            assert!(seconds >= 1);
        }
        match amount {
            "404.00" | "404.01" => assert_eq!(body["details"]["reason"], "not_in_spei"),
            "404.02" => assert_state(&body, "proof_not_issued", "settled", "Liquidado"),
            "404.03" => assert_state(&body, "payment_returned", "returned", "Devuelto"),
            "404.04" => assert_state(&body, "payment_in_process", "in_process", "En proceso"),
            "404.05" => assert_state(&body, "payment_canceled", "canceled", "Cancelado"),
            "404.06" => assert_state(&body, "payment_rejected", "rejected", "Rechazado"),
            "404.07" => {
                let text = "En proceso de devolución";
                assert_state(&body, "payment_in_process", "return_in_process", text);
            }
            "404.08" => assert_state(&body, "payment_rejected", "not_settled", "No liquidado"),
            "404.09" => assert_state(&body, "not_in_spei", "not_found", "No encontrado"),
            "404.10" => assert_state(&body, "payment_returned", "sent_back", "Retornado"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn inferred_fields_are_reported_and_given_ones_are_not() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    for endpoint in endpoints() {
        let mut body = request(8, "1234.56");
        let explicit = gateway.post(endpoint, &key, &body).await;
        assert!(!explicit.headers().contains_key("x-inferred-emisor"));
        assert!(!explicit.headers().contains_key("x-inferred-receptor"));
        body.as_object_mut().unwrap().remove("receptor");
        let half = gateway.post(endpoint, &key, &body).await;
        body.as_object_mut().unwrap().remove("emisor");
        let none = gateway.post(endpoint, &key, &body).await;
        if AUTO.contains(&endpoint) {
            assert_eq!(half.headers()["x-inferred-receptor"], "40002");
            assert!(!half.headers().contains_key("x-inferred-emisor"));
            assert_eq!(none.headers()["x-inferred-receptor"], "40002");
            assert_eq!(none.headers()["x-inferred-emisor"], "40012");
        } else {
            assert_eq!(half.status(), 400);
            let fields = json_of(none, 400).await["details"]["fields"].clone();
            let names: Vec<_> = fields
                .as_array()
                .unwrap()
                .iter()
                .map(|field| field["field"].clone())
                .collect();
            assert_eq!(names, ["emisor", "receptor"]);
        }
    }
}

#[tokio::test]
async fn failed_inference_is_reported_per_side() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let mut body = request(8, "1234.56");
    body["clave_rastreo"] = "NOBODYS-SHAPE-1".into();
    body.as_object_mut().unwrap().remove("emisor");
    for endpoint in AUTO {
        let error = json_of(gateway.post(endpoint, &key, &body).await, 400).await;
        assert_eq!(error["error"], "INFERENCE_FAILED");
        assert_eq!(error["details"]["missing"], serde_json::json!(["emisor"]));
    }
}

#[tokio::test]
async fn a_second_format_and_a_repeat_ask_the_bank_for_what_is_missing() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = bank.gateway();
    let key = gateway.live_key();
    for endpoint in ["xml", "xml", "xml_base64", "pdf", "base64", "pdf_auto"] {
        assert_eq!(
            gateway
                .post(endpoint, &key, &request(8, "1234.56"))
                .await
                .status(),
            200
        );
    }
    let (ask, xml, pdf) = (
        "valida.do",
        "descarga.do?formato=XML",
        "descarga.do?formato=PDF",
    );
    assert_eq!(bank.asked(), [ask, xml, ask, pdf]);
    // A ZIP holds both files of one session.
    for _ in 0..2 {
        assert_eq!(
            gateway
                .post("zip_auto", &key, &request(8, "1234.56"))
                .await
                .status(),
            200
        );
    }
    assert_eq!(bank.asked()[4..], [ask, xml, pdf]);
}

#[tokio::test]
async fn two_callers_at_the_same_moment_ask_once() {
    let bank = CountingBank::start(Duration::from_millis(500)).await;
    let gateway = bank.gateway();
    let key = gateway.live_key();
    let body = request(8, "1234.56");
    let asking = (0..20).map(|_| gateway.post("zip_auto", &key, &body));
    for answer in futures::future::join_all(asking).await {
        assert_eq!(answer.status(), 200);
    }
    assert_eq!(
        bank.asked()
            .iter()
            .filter(|asked| *asked == "valida.do")
            .count(),
        1
    );
}

#[tokio::test]
async fn a_live_key_never_reaches_the_sandbox() {
    // No server listens there: a port that was free a moment ago.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let gateway = crate::gateway::Plan::new()
        .with("CEP_BANK_URL", format!("http://{nobody}/cep"))
        .start();
    let live = gateway.run(&["keys", "create", "--name", "live"]);
    let live: Value = serde_json::from_slice(&live.stdout).unwrap();
    let api_key = live["api_key"].as_str().unwrap().to_owned();
    assert!(api_key.starts_with("cep_live_"));
    let live = crate::gateway::Key {
        id: String::new(),
        prefix: String::new(),
        full: api_key,
    };
    let error = json_of(
        gateway.post("xml", &live, &request(8, "1234.56")).await,
        503,
    )
    .await;
    assert_eq!(error["error"], "BANK_UNAVAILABLE");
}

#[tokio::test]
async fn messages_are_spanish_and_english_when_asked_for() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let message = async |language: &str| {
        let sent = gateway
            .client
            .post(gateway.url("/v1/cep/xml"))
            .header("accept-language", language);
        let sent = sent
            .header("x-api-key", &key.full)
            .header("content-type", "application/json");
        let body = json_of(
            sent.body(request(1, "404.00").to_string())
                .send()
                .await
                .unwrap(),
            404,
        )
        .await;
        body["message"].as_str().unwrap().to_owned()
    };
    let (spanish, english) = (
        message("es-MX,es;q=0.9,en;q=0.8").await,
        message("en-US,en;q=0.9,es;q=0.1").await,
    );
    assert_ne!(spanish, english);
    assert_eq!(spanish, message("fr").await);
}
