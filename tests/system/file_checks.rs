//! Files checked by `POST /v1/cep/verify`: proofs of the sandbox, whole and altered, with and without
//! the bank, and a hostile customer beside an ordinary one.

use std::fs;
use std::io::{Cursor, Write as _};
use std::pin::pin;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use futures::future::{join_all, select};
use reqwest::{Method, Response, StatusCode};
use rstest::rstest;
use sandbox::seal::CERTIFICATE_NUMBER;
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::gateway::{CountingBank, Gateway, Key, Plan, json_of, left, request};

mod bank;
mod other_files;
mod second_opinions;
mod zips;

pub(crate) use second_opinions::recent;

const AMOUNT: &str = "1234.56";
/// Queries and media types.
const XML: (&str, &str) = ("", "application/xml");
const PDF: (&str, &str) = ("", "application/pdf");
const ZIP: (&str, &str) = ("", "application/zip");

/// A file of a transfer.
async fn file(gateway: &Gateway, key: &Key, format: &str, number: u32, amount: &str) -> Bytes {
    let answer = gateway.post(format, key, &request(number, amount)).await;
    assert_eq!(answer.status(), StatusCode::OK);
    answer.bytes().await.unwrap()
}

/// The XML of a transfer.
pub(crate) async fn xml(gateway: &Gateway, key: &Key, number: u32, amount: &str) -> String {
    let xml = file(gateway, key, "xml", number, amount).await;
    String::from_utf8(xml.to_vec()).unwrap()
}

/// The PDF of a transfer.
pub(crate) async fn pdf(gateway: &Gateway, key: &Key, number: u32) -> Bytes {
    file(gateway, key, "pdf", number, AMOUNT).await
}

async fn send(
    gateway: &Gateway,
    key: &Key,
    (query, media_type): (&str, &str),
    file: impl Into<reqwest::Body>,
) -> Response {
    let path = format!("/v1/cep/verify{query}");
    let request = gateway.keyed(Method::POST, &path, key);
    let request = request.header("content-type", media_type);
    request.body(file).send().await.unwrap()
}

/// The answer about an XML.
pub(crate) async fn checked(gateway: &Gateway, key: &Key, query: &str, xml: &str) -> Value {
    verified(gateway, key, (query, XML.1), xml.to_owned()).await
}

/// The answer about a file of this type.
async fn verified(
    gateway: &Gateway,
    key: &Key,
    declared: (&str, &str),
    file: impl Into<reqwest::Body>,
) -> Value {
    json_of(send(gateway, key, declared, file).await, 200).await
}

/// Result, reason and fields of a check.
fn check(answer: &Value, name: &str) -> Value {
    let mut checks = answer["comprobaciones"].as_array().unwrap().iter();
    let check = checks.find(|check| check["nombre"] == name);
    let check = check.unwrap_or_else(|| panic!("no {name}: {answer}"));
    assert!(!check["explicacion"].as_str().unwrap().is_empty());
    json!([check["resultado"], check["motivo"], check["campos"]])
}

/// A check that has failed.
fn failed(reason: &str, fields: &[&str]) -> Value {
    json!(["failed", reason, fields])
}

/// A check that could not be made.
fn not_checked(reason: &str) -> Value {
    json!(["not_checked", reason, []])
}

/// The reasons of a file that is refused.
fn refused(answer: &Value) -> &Value {
    &answer["details"]["file"]["problem"]
}

/// The XML with another amount.
fn with_amount(xml: &str, amount: &str) -> String {
    let [old, new] = [AMOUNT, amount].map(|amount| format!("MontoPago=\"{amount}\""));
    xml.replace(&old, &new)
}

/// The value of an attribute.
fn attribute<'a>(xml: &'a str, name: &str) -> &'a str {
    let start = xml.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
    &xml[start..start + xml[start..].find('"').unwrap()]
}

#[tokio::test]
async fn an_untouched_file_is_valid_and_its_fields_are_those_of_the_json() {
    let (gateway, key) = Gateway::with_key();
    let json = json_of(gateway.post("json", &key, &request(1, AMOUNT)).await, 200).await;
    let xml = xml(&gateway, &key, 1, AMOUNT).await;
    let pdf = pdf(&gateway, &key, 1).await;

    let of_xml = checked(&gateway, &key, "", &xml).await;
    assert_eq!(of_xml["resultado"], "valid", "{of_xml}");
    for part in ["ok", "cep", "sello", "campos_sellados"] {
        assert_eq!(of_xml[part], json[part], "{part}");
    }
    assert_eq!(of_xml["coincidencias"]["nombre"], "no_pedida");
    // Two files were delivered after the JSON, which was the first.
    assert_eq!(json["visto"]["veces"], 0);
    assert_eq!(of_xml["visto"]["veces"], 3);
    let unsealed = json!(["not_checked", "sin_sello", ["clave_rastreo"]]);
    assert_eq!(check(&of_xml, "clave_rastreo"), unsealed);
    assert_eq!(of_xml["pagina"], Value::Null);

    let untyped = ("", "application/octet-stream");
    let answer = send(&gateway, &key, untyped, pdf.clone()).await;
    assert_eq!(answer.headers()["x-seal"], "valid");
    assert!(answer.headers().contains_key("ratelimit"));
    let of_pdf = json_of(answer, 200).await;
    assert_eq!(of_pdf["resultado"], "valid", "{of_pdf}");
    assert_eq!(of_pdf["pagina"], "coincide");
    assert_eq!(of_pdf["cep"], json["cep"]);
    assert_eq!(check(&of_pdf, "texto_y_cadena")[0], "ok");
    // The check before is one more time that the proof was shown.
    assert_eq!(of_pdf["visto"]["veces"], 4);
    let first = &of_xml["visto"]["primera_vez"];
    assert_eq!(&of_pdf["visto"]["primera_vez"], first);
    // As generated clients send it.
    let answer = verified(&gateway, &key, XML, pdf).await;
    assert_eq!(answer["resultado"], "valid");
}

/// A file of `tests/cases`.
fn case(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    fs::read(format!("{folder}/{name}")).unwrap()
}

/// The notices beside a verdict about what no seal covers. Each file here is the sandbox bank's, which is told too.
fn notices(answer: &Value) -> Vec<&str> {
    let notices = answer["avisos"].as_array().unwrap();
    for notice in notices {
        assert!(!notice["mensaje"].as_str().unwrap().is_empty());
    }
    let (sandbox, unsealed) = notices.split_first().unwrap();
    assert_eq!(sandbox["codigo"], "sello_del_banco_de_pruebas");
    assert_eq!(sandbox["campos"], json!([]));
    let codes = unsealed.iter().map(|notice| {
        assert_eq!(notice["campos"], json!(["clave_rastreo"]));
        notice["codigo"].as_str().unwrap()
    });
    codes.collect()
}

const NOT_COMPARED: &str = "campos_sin_sellar_no_comparados";

const COMPARED: &str = "campos_sin_sellar_comparados_con_el_banco";

const DIFFERENT: &str = "campos_sin_sellar_no_coinciden_con_el_banco";

#[tokio::test]
async fn a_proof_whose_tracking_key_was_edited_was_seen_before_and_the_key_is_said_to_be_unsealed()
{
    let (gateway, key) = Gateway::with_key();
    for (file, times) in [
        ("clave-original.xml", 0),
        ("clave-editada.xml", 1),
        ("clave-original.xml", 2),
    ] {
        let answer = verified(&gateway, &key, ("", "text/plain"), case(file)).await;
        assert_eq!(answer["resultado"], "valid", "{answer}");
        assert_eq!(answer["visto"]["veces"], times, "{file}: {answer}");
        assert_eq!(notices(&answer), [NOT_COMPARED]);
    }
}

#[tokio::test]
async fn what_a_viewer_shows_beside_the_sealed_data_of_a_page_is_never_called_valid() {
    let (gateway, key) = Gateway::with_key();
    let good = pdf(&gateway, &key, 1).await;
    let place = |from: usize, text: &str| {
        let mut windows = good[from..].windows(text.len());
        from + windows.position(|it| it == text.as_bytes()).unwrap()
    };
    let query_date_end = place(place(0, "827.7 Tm"), ") Tj");
    // As many bytes as before, so that the file's table holds.
    for (at, written) in [
        (place(0, "CreationDate"), "Title       "),
        (query_date_end - 2, "96"),
    ] {
        let mut edited = good.to_vec();
        edited[at..at + written.len()].copy_from_slice(written.as_bytes());
        let answer = verified(&gateway, &key, PDF, edited).await;
        assert_eq!(answer["pagina"], "no_comparada", "{written}: {answer}");
        assert_eq!(answer["resultado"], "not_checked", "{written}");
    }
}

#[tokio::test]
async fn of_a_pdf_that_is_not_the_portals_page_the_sealed_data_are_told() {
    let (gateway, key) = Gateway::with_key();
    for (file, amount) in [
        ("forged-stroke-slant.pdf", "5.55"),
        ("forged-off-mediabox.pdf", "5.55"),
        ("qdf.pdf", "1234.56"),
    ] {
        let answer = send(&gateway, &key, PDF, case(file)).await;
        assert_eq!(answer.headers()["x-seal"], "not_checked");
        let answer = json_of(answer, 200).await;
        assert_eq!(answer["resultado"], "not_checked", "{answer}");
        assert_eq!(answer["pagina"], "no_comparada", "{answer}");
        assert_eq!(answer["cep"]["monto"], amount, "{answer}");
        assert_eq!(answer["sello"]["estado"], "valid", "{answer}");
        let page = not_checked("pagina_no_comparada");
        assert_eq!(check(&answer, "texto_y_cadena"), page);
    }
    let receipt = case("comprobante-del-banco.pdf");
    let answer = send(&gateway, &key, PDF, receipt).await;
    let answer = json_of(answer, 400).await;
    assert_eq!(refused(&answer), "comprobante_del_banco", "{answer}");
}

/// Every alteration and every spelling is tested in the domain.
#[tokio::test]
async fn no_edit_beside_the_sealed_text_and_no_format_hides_that_a_proof_was_seen_before() {
    let (gateway, key) = Gateway::with_key();
    let xml = xml(&gateway, &key, 1, AMOUNT).await;
    let pdf = pdf(&gateway, &key, 1).await;
    let seal = attribute(&xml, "sello");
    let chain = attribute(&xml, "cadenaCDA");
    // After two deliveries; a file that is refused is looked up, and isn't counted.
    let respelt = chain.replacen('|', "&#124;", 1);
    for (from, to, result, times) in [
        (" MontoPago=\"1", " MontoPago=\"7", "invalid", 2),
        (seal, "AAAA", "invalid", 2),
        // A seal without its padding is the same seal.
        (seal, seal.trim_end_matches('='), "valid", 2),
        // Another spelling of the same text, and a text that no seal covers.
        (chain, &respelt, "valid", 3),
        ("claveRastreo=\"", "claveRastreo=\"X", "valid", 4),
    ] {
        let edited = xml.replace(from, to);
        assert_ne!(edited, xml);
        let answer = checked(&gateway, &key, "", &edited).await;
        assert_eq!(answer["resultado"], result, "{edited}: {answer}");
        assert_eq!(answer["visto"]["veces"], times, "{edited}: {answer}");
    }
    let answer = verified(&gateway, &key, PDF, pdf).await;
    assert_eq!(answer["visto"]["veces"], 5);
    // The first one is the delivery, to whichever endpoint.
    let json = json_of(gateway.post("json", &key, &request(1, AMOUNT)).await, 200).await;
    assert_eq!(json["visto"]["veces"], 6);
    assert_eq!(notices(&json), [COMPARED]);
}

/// A file of the largest size, which is refused for its depth.
fn hostile() -> Vec<u8> {
    let mut file = b"%PDF-1.5\n1 0 obj\n".to_vec();
    file.resize(1024 * 1024, b'[');
    file
}

#[tokio::test]
async fn an_ordinary_customer_is_served_beside_one_that_sends_hostile_files() {
    let gateway = Plan::new().start();
    let (greedy, ordinary) = (gateway.roomy_key(), gateway.roomy_key());
    let good = xml(&gateway, &ordinary, 1, AMOUNT).await;
    let flood = async {
        let callers = (0..64).map(|_| async {
            loop {
                let answer = send(&gateway, &greedy, PDF, hostile()).await;
                assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
            }
        });
        let _: Vec<std::convert::Infallible> = join_all(callers).await;
    };
    let served = async {
        for _ in 0..6 {
            let asked = Instant::now();
            let answer = checked(&gateway, &ordinary, "", &good).await;
            assert_eq!(answer["resultado"], "valid");
            let waited = asked.elapsed();
            assert!(waited < Duration::from_secs(6), "{waited:?}");
        }
    };
    select(pin!(served), pin!(flood)).await;
}

#[tokio::test]
async fn what_somebody_uploads_is_no_sample_and_no_use() {
    let (_bank, gateway, live) = CountingBank::with_gateway().await;
    let test = gateway.roomy_key();
    let samples = || {
        let said = gateway.run(&["seals", "export-samples"]).stdout;
        String::from_utf8(said).unwrap().lines().count()
    };
    let unknown = xml(&gateway, &test, 1, "600.01").await;
    let answer = checked(&gateway, &live, "", &unknown).await;
    assert_eq!(answer["sello"]["motivo"], "unknown_certificate");
    assert_eq!(samples(), 0);
    // A proof that the gateway fetched itself is one.
    xml(&gateway, &live, 2, "600.01").await;
    assert_eq!(samples(), 1);
}

#[tokio::test]
async fn no_certificates_number_hides_that_a_seal_is_of_another_text() {
    let (_bank, gateway, live) = CountingBank::with_gateway().await;
    for key in [gateway.roomy_key(), live] {
        let xml = xml(&gateway, &key, 1, AMOUNT).await;
        let renamed = xml.replace(CERTIFICATE_NUMBER, "00001000000599999999");
        for file in [renamed.replace(AMOUNT, "9234.56"), renamed] {
            let answer = checked(&gateway, &key, "", &file).await;
            assert_eq!(answer["sello"]["estado"], "invalid", "{answer}");
            assert_eq!(answer["resultado"], "invalid", "{answer}");
            let mut notices = answer["avisos"].as_array().unwrap().iter();
            let of_sandbox = notices.any(|it| it["codigo"] == "sello_del_banco_de_pruebas");
            assert!(of_sandbox, "{answer}");
        }
    }
}

/// Numbers of earlier deliveries, in order.
fn times(mut answers: Vec<Value>) -> Vec<u64> {
    answers.sort_by_key(|answer| answer["visto"]["veces"].as_u64());
    let times = answers.iter().map(|answer| &answer["visto"]["veces"]);
    times.map(|times| times.as_u64().unwrap()).collect()
}

#[tokio::test]
async fn simultaneous_checks_and_deliveries_of_one_proof_are_all_counted() {
    let (gateway, key) = Gateway::with_key();
    let transfer = request(1, AMOUNT);
    let xml = xml(&gateway, &key, 1, AMOUNT).await;

    // The XML was the first.
    let checks = (0..16).map(|_| checked(&gateway, &key, "", &xml));
    assert_eq!(times(join_all(checks).await), (1..17).collect::<Vec<_>>());

    let both = (0..8).map(async |_| {
        let checked = checked(&gateway, &key, "", &xml);
        let delivered = gateway.post("json", &key, &transfer);
        let (checked, delivered) = tokio::join!(checked, delivered);
        [checked, json_of(delivered, 200).await]
    });
    let both = join_all(both).await.into_iter().flatten();
    assert_eq!(times(both.collect()), (17..33).collect::<Vec<_>>());
}
