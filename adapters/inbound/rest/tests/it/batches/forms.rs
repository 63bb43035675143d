//! Tables in forms, and their corrections.

use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{mixed, table};
use crate::data::GOOD_KEY;
use crate::harness::{Answers, Exchange, Harness, faults, header, json_of};

const TWO_SHEETS: &[u8] = include_bytes!(
    "../../../../../outbound/workbook-files/tests/written_by/libreoffice-two-sheets.xlsx"
);
const BOUNDARY: &str = "------------------------x1";
const CSV: &str = "name=\"file\"; filename=\"pagos.csv\"";
const CORRECTIONS: &str = "name=\"corrections\"";

/// A form with these parts: the parameters of each one's `Content-Disposition`, and its content.
fn form(boundary: &str, parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (disposition, content) in parts {
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    body
}

fn sending(harness: &Harness, query: &str, parts: &[(&str, &[u8])]) -> RequestBuilder {
    let request = harness.batches("POST", query);
    let declared = format!("multipart/form-data; boundary={BOUNDARY}");
    let request = request.header("content-type", declared);
    request.body(form(BOUNDARY, parts))
}

/// The answer to a CSV file with corrections.
async fn corrected(harness: &Harness, query: &str, table: &str, corrections: &Value) -> Response {
    let corrections = corrections.to_string();
    let parts = [
        (CSV, table.as_bytes()),
        (CORRECTIONS, corrections.as_bytes()),
    ];
    sending(harness, query, &parts).response().await
}

#[tokio::test]
async fn a_form_is_read_like_its_file() {
    let harness = Harness::start().await;
    let parts = [(CSV, &*mixed().into_bytes())];
    let form = sending(&harness, "?dry_run=true", &parts)
        .json_of(200)
        .await;
    assert_eq!(form, harness.preview("", mixed()).await);
    let batch = sending(&harness, "", &parts).json_of(202).await;
    assert_eq!(batch["counts"]["rows"], 4);

    let parts = [("name=\"file\"; filename=\"dos hojas.XLSX\"", TWO_SHEETS)];
    let query = "?dry_run=true&columns=monto:Total";
    let preview = sending(&harness, query, &parts).json_of(200).await;
    let expected = (&json!("Pagos"), &json!(2));
    assert_eq!((&preview["sheet"], &preview["ready"]), expected);
}

#[tokio::test]
async fn corrections_make_faulty_rows_good() {
    let harness = Harness::start().await;
    let faulty = table(&[("A-1", "MBAN01", "diez"), ("A-2", "MBAN02", "once")]);
    let faulty = faulty.replace("40002", "BANAMEXICO S.A.");
    let query = "?dry_run=true";
    let before = corrected(&harness, query, &faulty, &json!([])).await;
    let before = json_of(before, 200).await;
    let counts = ["rows", "ready", "faulty", "corrected"];
    assert_eq!(counts.map(|name| &before[name]), [2, 0, 2, 0]);
    let corrections = json!([
        { "field": "receptor", "from": "BANAMEXICO S.A.", "value": "40002" },
        { "line": 2, "field": "monto", "value": "$10.00" },
    ]);
    let preview = corrected(&harness, query, &faulty, &corrections).await;
    let preview = json_of(preview, 200).await;
    assert_eq!(counts.map(|name| &preview[name]), [2, 1, 1, 2]);
    let batch = json_of(corrected(&harness, "", &faulty, &corrections).await, 202).await;
    let rows = harness
        .rows(&format!("/{}", batch["id"].as_str().unwrap()))
        .await;
    let question = ["monto", "receptor"].map(|name| rows[0]["question"][name].as_str());
    assert_eq!(question, [Some("10.00"), Some("40002")]);
}

#[tokio::test]
async fn corrections_without_an_effect_are_refused_with_their_places() {
    let harness = Harness::start().await;
    let corrections = json!([
        { "line": 1, "field": "monto", "value": "1.00" },
        { "line": 2, "field": "monto", "value": "1.00" },
        { "line": 2, "field": "monto", "value": "2.00" },
        { "from": "BBVA", "field": "receptor", "value": "40012" },
    ]);
    let answer = corrected(&harness, "", &mixed(), &corrections).await;
    let answer = json_of(answer, 400).await;
    let expected = [
        ("corrections[0].line", "no_such_line"),
        ("corrections[2]", "corrected_twice"),
        ("corrections[3].from", "no_such_value"),
    ];
    assert_eq!(faults(&answer), expected);
    let misspelt = json!([{ "line": 2, "feild": "id" }]);
    let answer = corrected(&harness, "", &mixed(), &misspelt).await;
    let answer = json_of(answer, 400).await;
    let expected = [
        ("corrections[0].feild", "misspelt"),
        ("corrections[0].field", "missing"),
        ("corrections[0].value", "missing"),
    ];
    assert_eq!(faults(&answer), expected);
    assert!(harness.listed("").await.is_empty());
}

#[tokio::test]
async fn a_form_that_is_not_understood_is_refused() {
    let harness = Harness::start().await;
    let csv = mixed();
    let good = (CSV, csv.as_bytes());
    let declared = &*format!("multipart/form-data; boundary={BOUNDARY}");
    let whole = form(BOUNDARY, &[good]);
    let cut_off = whole[..whole.len() - 40].to_vec();
    let pdf: (_, &[u8]) = ("name=\"file\"; filename=\"pagos.pdf\"", b"%PDF-");
    let mut answers = Answers::default();
    for (name, declared, body) in [
        ("no boundary", "multipart/form-data", whole),
        ("another body", declared, csv.clone().into_bytes()),
        ("cut off", declared, cut_off),
        ("no file", declared, form(BOUNDARY, &[(CORRECTIONS, b"[]")])),
        ("two files", declared, form(BOUNDARY, &[good, good])),
        (
            "a parameter",
            declared,
            form(BOUNDARY, &[("name=\"dry_run\"", b"true"), good]),
        ),
        ("no table", declared, form(BOUNDARY, &[pdf])),
        (
            "no JSON",
            declared,
            form(BOUNDARY, &[good, (CORRECTIONS, b"[{\"line\":2,]")]),
        ),
        (
            "no list",
            declared,
            form(BOUNDARY, &[good, (CORRECTIONS, b"{}")]),
        ),
    ] {
        let request = || {
            let request = harness.batches("POST", "");
            let request = request.header("content-type", declared);
            request.body(body.clone())
        };
        answers.add(name, request).await;
    }
    insta::assert_snapshot!("refused_forms", answers.0);
    assert!(harness.listed("").await.is_empty());
}

#[tokio::test]
async fn a_form_may_be_larger_than_a_table_and_its_file_may_not() {
    let harness = Harness::start().await;
    let large = vec![b' '; 16 * 1024 * 1024 + 1];
    let (table, corrections) = (mixed(), &large[..=1024 * 1024]);
    for (parts, most, told) in [
        (vec![(CSV, &*large)], 16 << 20, "La parte file"),
        (
            vec![(CSV, table.as_bytes()), (CORRECTIONS, corrections)],
            1 << 20,
            "La parte corrections",
        ),
    ] {
        let answer = sending(&harness, "", &parts).json_of(413).await;
        assert_eq!(answer["error"], "PAYLOAD_TOO_LARGE");
        assert_eq!(answer["details"]["max_bytes"], most);
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(told), "{message}");
    }
}

#[tokio::test]
async fn a_repeated_form_is_known_by_its_parts_and_not_by_its_boundary() {
    let harness = Harness::start().await;
    let send = async |boundary: &str, corrections: Option<&[u8]>, query: &str| {
        let csv = mixed();
        let mut parts = vec![(CSV, csv.as_bytes())];
        parts.extend(corrections.map(|corrections| (CORRECTIONS, corrections)));
        let declared = format!("multipart/form-data; boundary={boundary}");
        let request = harness.batches("POST", query);
        let request = request.header("content-type", declared);
        let request = request.header("idempotency-key", "\"november\"");
        request.body(form(boundary, &parts)).response().await
    };
    let corrections: &[u8] = br#"[{"line":2,"field":"monto","value":"12.00"}]"#;
    let first = send("one", Some(corrections), "").await;
    assert_eq!(header(&first, "idempotent-replayed"), "");
    let first = json_of(first, 202).await;
    let second = send("another", Some(corrections), "").await;
    assert_eq!(header(&second, "idempotent-replayed"), "true");
    assert_eq!(json_of(second, 202).await, first);
    let others: [(Option<&[u8]>, &str); 4] = [
        (None, ""),
        (Some(b"[]"), ""),
        (Some(br#"[{"line":2,"field":"monto","value":"13.00"}]"#), ""),
        (Some(corrections), "?name=x"),
    ];
    for (corrections, query) in others {
        let other = json_of(send("one", corrections, query).await, 422).await;
        assert_eq!(other["error"], "IDEMPOTENCY_KEY_REUSED", "{query}");
    }
    assert_eq!(harness.listed("").await.len(), 1);
}

#[tokio::test]
async fn a_form_is_checked_by_its_headers_before_it_arrives() {
    let harness = Harness::start().await;
    for (declared, bytes, expected) in [
        ("multipart/form-data", 9, "400"),
        ("multipart/form-data; boundary=x", 18 << 20, "413"),
        ("multipart/form-data; boundary=x", 17 << 20, "100"),
    ] {
        let mut stream = TcpStream::connect(harness.address).await.unwrap();
        let head = format!(
            "POST /v1/cep/batches HTTP/1.1\r\nhost: x\r\nx-api-key: {GOOD_KEY}\r\n\
             content-type: {declared}\r\ncontent-length: {bytes}\r\nexpect: 100-continue\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        assert_eq!(&status[9..], expected.as_bytes(), "{declared} {bytes}");
    }
}
