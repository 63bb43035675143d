//! Every endpoint and every outcome, over real sockets, through the real portal adapter and the
//! sandbox bank.

use axum::body::Bytes;
use domain::proofs::Proof;
use reqwest::Method;
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
    let unchanged = xmls.windows(2).all(|pair| pair[0] == pair[1]);
    assert!(unchanged, "the bytes of one proof changed");
    let proof = Proof::parse(&xmls[0]).unwrap();
    assert_eq!(proof.tracking_key(), "MBAN01002611180000000008");
    assert_eq!(proof.centavos(), 123_456);
}

#[tokio::test]
async fn every_refusal_is_the_same_on_every_endpoint() {
    let gateway = Gateway::start();
    let poor = gateway.key(&["--per-minute", "100", "--monthly-quota", "1"]);
    let hurried = gateway.key(&["--per-minute", "1", "--monthly-quota", "100"]);
    let roomy = gateway.roomy_key();
    for key in [&poor, &hurried] {
        assert_eq!(gateway.status_of(key).await, 200);
    }
    let body = request(1, "10.00").to_string();
    let large = " ".repeat(16_385);
    for endpoint in endpoints() {
        for (key, body, status) in [
            (&Key::unknown(), &body, 401),
            (&poor, &body, 402),
            (&hurried, &body, 429),
            (&roomy, &large, 413),
        ] {
            let answer = gateway.post_text(endpoint, key, body.clone()).await;
            assert_eq!(answer.status(), status, "{endpoint}");
        }
        let compressed = gateway.asking(endpoint, &roomy);
        let compressed = compressed.header("content-encoding", "gzip").body("x");
        assert_eq!(compressed.send().await.unwrap().status(), 415, "{endpoint}");
        let read = gateway.get(&format!("/v1/cep/{endpoint}")).await;
        assert_eq!(read.status(), 405, "{endpoint}");

        let error = json_of(gateway.post(endpoint, &roomy, &json!({})).await, 400).await;
        assert_eq!(error["error"], "INVALID_REQUEST", "{endpoint}");
        let fields = error["details"]["fields"].as_array().unwrap().iter();
        let missing: Vec<_> = fields.map(|it| it["field"].as_str().unwrap()).collect();
        let all = [
            "fecha",
            "clave_rastreo",
            "cuenta",
            "monto",
            "emisor",
            "receptor",
        ];
        let needed = if endpoint.ends_with("_auto") { 4 } else { 6 };
        assert_eq!(missing, all[..needed], "{endpoint}");
    }
}

#[tokio::test]
async fn a_second_format_and_a_repeat_ask_the_bank_for_what_is_missing() {
    let (bank, gateway, key) = CountingBank::with_gateway().await;
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
