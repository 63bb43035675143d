//! Receipts over HTTP.

use domain::outcome::Outcome;
use reqwest::Response;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::{Exchange as _, Harness, header, json_of, transcript};

/// A receipt whose payment the scripted bank knows.
const RECEIPT: &str = "Transferencia SPEI exitosa
Monto: $10.00
Fecha y hora: 20/nov/2026 10:53:36
Cuenta destino: 002010077777777771
Banco destino: BANAMEX
Clave de rastreo: MBAN01002611200001234567";

impl Harness {
    async fn receipt(&self, query: &str, file: impl Into<reqwest::Body>) -> Response {
        let path = format!("/v1/cep/receipts{query}");
        let request = self.post(&path, file);
        request
            .header("content-type", "text/plain")
            .send()
            .await
            .unwrap()
    }
}

#[tokio::test]
async fn a_text_gives_the_question_and_is_counted_once() {
    let harness = Harness::start().await;
    let answer = harness.receipt("", RECEIPT).await;
    insta::assert_snapshot!(transcript(answer).await);
    assert_eq!(harness.outcomes().await, [Outcome::ReceiptRead]);
    assert!(harness.bank().asked().is_empty());
}

#[tokio::test]
async fn the_question_is_taken_as_it_is_by_lookups() {
    let harness = Harness::start().await;
    let read = json_of(harness.receipt("", RECEIPT).await, 200).await;
    let lookup = harness.create(read["solicitud"].to_string(), None).await;
    assert_eq!(lookup.status(), 202);
}

#[tokio::test]
async fn a_certain_receipt_becomes_a_lookup_that_is_repeated_with_its_key() {
    let harness = Harness::start().await;
    let send = || async {
        let request = harness.post("/v1/cep/receipts?lookup=true", RECEIPT);
        request
            .header("idempotency-key", "recibo-1")
            .send()
            .await
            .unwrap()
    };
    let answer = send().await;
    let location = header(&answer, "location").to_owned();
    let first = json_of(answer, 200).await;
    let id = first["lookup"]["id"].as_str().unwrap();
    assert_eq!(location, format!("/v1/cep/lookups/{id}"));
    assert_eq!(first["lookup"]["state"], "queued");
    let again = send().await;
    assert_eq!(header(&again, "idempotent-replayed"), "true");
    assert_eq!(json_of(again, 200).await["lookup"]["id"], id);
}

/// A receipt that is too old to be certain on the next day.
#[tokio::test]
async fn a_repeated_request_has_its_lookup_though_the_receipt_is_not_certain_any_more() {
    let harness = Harness::start().await;
    let receipt = RECEIPT
        .replace("20/nov/2026", "16/oct/2025")
        .replace("MBAN0100261120", "MBAN0100251016");
    let send = || async {
        let request = harness.post("/v1/cep/receipts?lookup=true", receipt.clone());
        let request = request.header("idempotency-key", "recibo-viejo");
        json_of(request.send().await.unwrap(), 200).await
    };
    let first = send().await;
    assert!(first["lookup"]["id"].is_string(), "{first}");
    let next_day = std::time::Duration::from_hours(20);
    harness.gateway.services.clock.advance(next_day);
    let again = send().await;
    assert_eq!(again["campos"]["fecha"]["confianza"], "medium");
    assert_eq!(again["lookup"]["id"], first["lookup"]["id"]);
}

#[rstest]
#[case::masked("Cuenta destino: 002010077777777771", "Cuenta destino: •••• 7771", &["cuenta"])]
#[case::misread("MBAN01002611200001234567", "MBAN0100261120OOO1234567", &[])]
#[case::programmed("exitosa", "programada", &[])]
#[tokio::test]
async fn no_doubtful_receipt_becomes_a_lookup(
    #[case] part: &str,
    #[case] other: &str,
    #[case] missing: &[&str],
) {
    let harness = Harness::start().await;
    let receipt = RECEIPT.replace(part, other);
    let read = json_of(harness.receipt("?lookup=true", receipt).await, 200).await;
    assert_eq!(read["lookup"], Value::Null);
    let told: Vec<_> = read["faltan"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["campo"])
        .collect();
    assert_eq!(told, missing);
    assert_eq!(read["solicitud"].is_null(), !missing.is_empty());
    assert_eq!(harness.outcomes().await, [Outcome::ReceiptRead]);
}

#[rstest]
#[case::unknown("hola", "unknown")]
#[case::invoice(
    "<cfdi:Comprobante xmlns:cfdi=\"http://www.sat.gob.mx/cfd/4\"/>",
    "invoice"
)]
#[case::state("Estado del pago en Banxico: Liquidado", "state_report")]
#[tokio::test]
async fn another_document_is_told_by_its_kind(#[case] file: &str, #[case] kind: &str) {
    let harness = Harness::start().await;
    let read = json_of(harness.receipt("", file.to_owned()).await, 200).await;
    assert_eq!(read["tipo"], kind);
    assert_eq!(
        (&read["faltan"], &read["solicitud"]),
        (&json!([]), &Value::Null)
    );
    assert_eq!(harness.outcomes().await, [Outcome::ReceiptRead]);
}

#[tokio::test]
async fn a_pdf_is_read_by_its_text() {
    let harness = Harness::start().await;
    let pdf = format!("%PDF-1.7\n{RECEIPT}");
    let read = json_of(harness.receipt("", pdf).await, 200).await;
    assert_eq!(read["solicitud"]["monto"], "10.00");
}

#[rstest]
#[case::empty(&b""[..], 400)]
#[case::zip(b"PK\x03\x04", 415)]
#[case::heic(b"\0\0\0\x18ftypheic", 415)]
#[case::picture_without_the_program(b"\x89PNG\r\n\x1a\n", 501)]
#[case::damaged_pdf(b"%PDF-\xff", 400)]
#[tokio::test]
async fn a_file_that_cannot_be_read_is_refused_with_its_remedy(
    #[case] file: &'static [u8],
    #[case] status: u16,
) {
    let harness = Harness::start().await;
    let refusal = json_of(harness.receipt("", file).await, status).await;
    insta::assert_json_snapshot!(format!("refused_{status}_{}", file.len()), refusal);
}

#[tokio::test]
async fn a_missing_program_costs_nothing_of_the_month() {
    let harness = Harness::start().await;
    let answer = harness.receipt("", &b"\x89PNG\r\n\x1a\n"[..]).await;
    assert_eq!(answer.status(), 501);
    assert_eq!(harness.outcomes().await, [Outcome::ReaderUnavailable]);
}

#[tokio::test]
async fn a_parameter_and_the_size_are_checked() {
    let harness = Harness::start().await;
    json_of(harness.receipt("?lookup=si", RECEIPT).await, 400).await;
    json_of(harness.receipt("?look=true", RECEIPT).await, 400).await;
    let large = vec![b'a'; domain::receipts::MAX_FILE_BYTES + 1];
    let refused = json_of(harness.receipt("", large).await, 413).await;
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.contains("8 MiB") && message.contains("imagen"),
        "{message}"
    );
}

#[tokio::test]
async fn a_compressed_receipt_is_refused_with_the_types_of_receipts() {
    let harness = Harness::start().await;
    let request = harness.post("/v1/cep/receipts", RECEIPT);
    let refused = request.header("content-encoding", "gzip").response().await;
    let refused = json_of(refused, 415).await;
    let message = refused["message"].as_str().unwrap();
    assert!(!message.contains("ZIP"), "{message}");
    let accepted = refused["details"]["accepted"].as_str().unwrap();
    assert!(
        accepted.starts_with("text/plain, application/pdf"),
        "{accepted}"
    );
}
