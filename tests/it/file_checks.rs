//! Files checked by `POST /v1/cep/verify`: proofs of the sandbox, whole and altered, with and without
//! the bank, and a hostile customer beside an ordinary one.

use std::fs;
use std::io::{Cursor, Write as _};
use std::pin::pin;
use std::time::{Duration, Instant};

use futures::future::{join_all, select};
use reqwest::{Response, StatusCode};
use rstest::rstest;
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::gateway::{CountingBank, Gateway, Key, Plan, json_of, request};

mod bank;
mod other_files;
mod zips;

const AMOUNT: &str = "1234.56";

/// The XML of a transfer.
async fn xml(gateway: &Gateway, key: &Key, number: u32, amount: &str) -> String {
    let answer = gateway.post("xml", key, &request(number, amount)).await;
    assert_eq!(answer.status(), StatusCode::OK);
    answer.text().await.unwrap()
}

async fn pdf(gateway: &Gateway, key: &Key, number: u32) -> Vec<u8> {
    let answer = gateway.post("pdf", key, &request(number, AMOUNT)).await;
    assert_eq!(answer.status(), StatusCode::OK);
    answer.bytes().await.unwrap().to_vec()
}

async fn send(
    gateway: &Gateway,
    key: &Key,
    (query, media_type): (&str, &str),
    file: impl Into<reqwest::Body>,
) -> Response {
    let url = gateway.url(&format!("/v1/cep/verify{query}"));
    let request = gateway.client.post(url).header("x-api-key", &key.full);
    let request = request.header("content-type", media_type);
    request.body(file).send().await.unwrap()
}

async fn checked(gateway: &Gateway, key: &Key, query: &str, xml: &str) -> Value {
    let answer = send(gateway, key, (query, "application/xml"), xml.to_owned()).await;
    json_of(answer, 200).await
}

/// Result, reason and fields of a check.
fn check(answer: &Value, name: &str) -> (String, Option<String>, Vec<String>) {
    let checks = answer["comprobaciones"].as_array().unwrap();
    let check = checks.iter().find(|check| check["nombre"] == name);
    let check = check.unwrap_or_else(|| panic!("no {name}: {answer}"));
    assert!(!check["explicacion"].as_str().unwrap().is_empty());
    let fields = check["campos"].as_array().unwrap().iter();
    (
        check["resultado"].as_str().unwrap().to_owned(),
        check["motivo"].as_str().map(str::to_owned),
        fields.map(|it| it.as_str().unwrap().to_owned()).collect(),
    )
}

fn failed(reason: &str, fields: &[&str]) -> (String, Option<String>, Vec<String>) {
    let fields = fields.iter().map(|field| (*field).to_owned()).collect();
    ("failed".to_owned(), Some(reason.to_owned()), fields)
}

/// The value of an attribute.
fn attribute<'a>(xml: &'a str, name: &str) -> &'a str {
    let start = xml.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
    &xml[start..start + xml[start..].find('"').unwrap()]
}

#[tokio::test]
async fn an_untouched_file_is_valid_and_its_fields_are_those_of_the_json() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
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
    let names = |answer: &Value| {
        let checks = answer["comprobaciones"].as_array().unwrap().clone();
        let names = checks.into_iter().map(|check| check["nombre"].clone());
        names.collect::<Vec<_>>()
    };
    assert_eq!(
        names(&of_xml),
        [
            "estructura",
            "atributos_y_cadena",
            "sello",
            "sello_repetido",
            "certificado",
            "clave_rastreo"
        ]
    );
    let (result, reason, fields) = check(&of_xml, "clave_rastreo");
    assert_eq!(
        (&*result, reason.as_deref()),
        ("not_checked", Some("sin_sello"))
    );
    assert_eq!(fields, ["clave_rastreo"]);

    let answer = send(
        &gateway,
        &key,
        ("", "application/octet-stream"),
        pdf.clone(),
    )
    .await;
    assert_eq!(answer.headers()["x-seal"], "valid");
    assert!(answer.headers().contains_key("ratelimit"));
    let of_pdf = json_of(answer, 200).await;
    assert_eq!(of_pdf["resultado"], "valid", "{of_pdf}");
    assert_eq!(of_pdf["pagina"], "coincide");
    assert_eq!(of_xml["pagina"], Value::Null);
    assert_eq!(of_pdf["cep"], json["cep"]);
    // As generated clients send it.
    let declared_as_xml = ("", "application/xml");
    let answer = send(&gateway, &key, declared_as_xml, pdf).await;
    assert_eq!(json_of(answer, 200).await["resultado"], "valid");
    // The check before is one more time that the proof was shown.
    assert_eq!(of_pdf["visto"]["veces"], 4);
    assert_eq!(
        of_pdf["visto"]["primera_vez"],
        of_xml["visto"]["primera_vez"]
    );
    assert_eq!(check(&of_pdf, "texto_y_cadena").0, "ok");
}

/// A file of `tests/cases`.
fn case(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    fs::read(format!("{folder}/{name}")).unwrap()
}

/// The notices beside a verdict about what no seal covers. Each file here is the sandbox bank's, which is told too.
fn notices(answer: &Value) -> Vec<&str> {
    let notices = answer["avisos"].as_array().unwrap().iter();
    let mut codes: Vec<_> = notices
        .map(|notice| {
            assert!(!notice["mensaje"].as_str().unwrap().is_empty());
            (notice["codigo"].as_str().unwrap(), &notice["campos"])
        })
        .collect();
    let sandbox = codes.remove(0);
    assert_eq!(sandbox, ("sello_del_banco_de_pruebas", &json!([])));
    let unsealed = codes.into_iter();
    unsealed
        .map(|(code, fields)| {
            assert_eq!(fields, &json!(["clave_rastreo"]));
            code
        })
        .collect()
}

const NOT_COMPARED: &str = "campos_sin_sellar_no_comparados";

const COMPARED: &str = "campos_sin_sellar_comparados_con_el_banco";

const DIFFERENT: &str = "campos_sin_sellar_no_coinciden_con_el_banco";

#[tokio::test]
async fn a_proof_whose_tracking_key_was_edited_was_seen_before_and_the_key_is_said_to_be_unsealed()
{
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    for (file, times) in [
        ("clave-original.xml", 0),
        ("clave-editada.xml", 1),
        ("clave-original.xml", 2),
    ] {
        let answer = send(&gateway, &key, ("", "text/plain"), case(file)).await;
        let answer = json_of(answer, 200).await;
        assert_eq!(answer["resultado"], "valid", "{answer}");
        assert_eq!(answer["visto"]["veces"], times, "{file}: {answer}");
        assert_eq!(notices(&answer), [NOT_COMPARED]);
    }
}

#[tokio::test]
async fn what_a_viewer_shows_beside_the_sealed_data_of_a_page_is_never_called_valid() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
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
        let mut edited = good.clone();
        edited[at..at + written.len()].copy_from_slice(written.as_bytes());
        let answer = send(&gateway, &key, ("", "application/pdf"), edited).await;
        let answer = json_of(answer, 200).await;
        assert_eq!(answer["pagina"], "no_comparada", "{written}: {answer}");
        assert_eq!(answer["resultado"], "not_checked", "{written}");
    }
}

#[tokio::test]
async fn of_a_pdf_that_is_not_the_portals_page_the_sealed_data_are_told() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    for (file, amount) in [
        ("forged-stroke-slant.pdf", "5.55"),
        ("forged-off-mediabox.pdf", "5.55"),
        ("qdf.pdf", "1234.56"),
    ] {
        let answer = send(&gateway, &key, ("", "application/pdf"), case(file)).await;
        assert_eq!(answer.headers()["x-seal"], "not_checked");
        let answer = json_of(answer, 200).await;
        assert_eq!(answer["resultado"], "not_checked", "{answer}");
        assert_eq!(answer["pagina"], "no_comparada", "{answer}");
        assert_eq!(answer["cep"]["monto"], amount, "{answer}");
        assert_eq!(answer["sello"]["estado"], "valid", "{answer}");
        let (result, reason, _) = check(&answer, "texto_y_cadena");
        assert_eq!(
            (&*result, reason.as_deref()),
            ("not_checked", Some("pagina_no_comparada"))
        );
    }
    let receipt = case("comprobante-del-banco.pdf");
    let answer = send(&gateway, &key, ("", "application/pdf"), receipt).await;
    let answer = json_of(answer, 400).await;
    let problem = &answer["details"]["file"]["problem"];
    assert_eq!(problem, "comprobante_del_banco", "{answer}");
}

#[tokio::test]
async fn no_edit_beside_the_sealed_text_and_no_format_hides_that_a_proof_was_seen_before() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let xml = xml(&gateway, &key, 1, AMOUNT).await;
    let pdf = pdf(&gateway, &key, 1).await;
    // Two deliveries; a file that is refused is looked up, and isn't counted.
    let chain = attribute(&xml, "cadenaCDA");
    for name in [
        "FechaOperacion",
        "Hora",
        "ClaveSPEI",
        "sello",
        "numeroCertificado",
        "BancoReceptor",
        "Nombre",
        "TipoCuenta",
        "Cuenta",
        "RFC",
        "Concepto",
        "MontoPago",
        "BancoEmisor",
    ] {
        let value = attribute(&xml, name);
        let other = match name {
            "FechaOperacion" => "2025-01-02",
            "Hora" => "01:02:03",
            "sello" => "AAAA",
            "MontoPago" => "7.00",
            "ClaveSPEI" => "40012",
            _ => "1",
        };
        let edited = xml.replacen(
            &format!(" {name}=\"{value}\""),
            &format!(" {name}=\"{other}\""),
            1,
        );
        assert_ne!(edited, xml, "{name}");
        let answer = checked(&gateway, &key, "", &edited).await;
        assert_eq!(answer["resultado"], "invalid", "{name}: {answer}");
        assert_eq!(answer["visto"]["veces"], 2, "{name}: {answer}");
    }
    // A seal without its padding is the same seal.
    let seal = attribute(&xml, "sello");
    let cut = xml.replace(seal, seal.trim_end_matches('='));
    assert_ne!(cut, xml);
    let answer = checked(&gateway, &key, "", &cut).await;
    assert_eq!(answer["resultado"], "valid", "{answer}");
    assert_eq!(answer["visto"]["veces"], 2, "{answer}");
    // Spellings of the same text, of which a seal covers one alone.
    let (whole, _) = chain.rsplit_once('|').unwrap();
    for (spelling, times) in [
        (xml.replace(chain, &chain.replacen('|', "&#124;", 1)), 3),
        (xml.replace(chain, &format!("{whole}|")), 4),
        (xml.replace(chain, &chain.replacen(' ', "\r\n", 1)), 4),
        (xml.replace("claveRastreo=\"", "claveRastreo=\"X"), 5),
    ] {
        assert_ne!(spelling, xml);
        let answer = checked(&gateway, &key, "", &spelling).await;
        assert_eq!(answer["visto"]["veces"], times, "{spelling}: {answer}");
    }
    let answer = send(&gateway, &key, ("", "application/pdf"), pdf).await;
    assert_eq!(json_of(answer, 200).await["visto"]["veces"], 6);
    // The first one is the delivery, to whichever endpoint.
    let json = json_of(gateway.post("json", &key, &request(1, AMOUNT)).await, 200).await;
    assert_eq!(json["visto"]["veces"], 7);
    assert_eq!(notices(&json), [COMPARED]);
}

#[tokio::test]
async fn altered_files_of_every_kind_are_told_apart() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let good = xml(&gateway, &key, 1, AMOUNT).await;
    let other = xml(&gateway, &key, 2, "77.00").await;
    let shown = format!(r#"MontoPago="{AMOUNT}""#);
    let sealed = format!("|{AMOUNT}|");
    for text in [&shown, &sealed] {
        assert_eq!(good.matches(text.as_str()).count(), 1, "{good}");
    }

    let in_attribute = good.replace(&shown, r#"MontoPago="9234.56""#);
    let answer = checked(&gateway, &key, "", &in_attribute).await;
    assert_eq!(answer["resultado"], "invalid");
    assert_eq!(
        check(&answer, "atributos_y_cadena"),
        failed("campos_cambiados", &["monto"])
    );
    assert_eq!(check(&answer, "sello").0, "ok");
    assert_eq!(answer["cep"]["monto"], "9234.56");
    let sealed_fields = answer["campos_sellados"].as_array().unwrap();
    assert!(!sealed_fields.contains(&json!("monto")), "{answer}");

    // The fields behind the amount in a concept, so that the zero at the end of the chain is the amount.
    let concept = format!(r#"Concepto="{}""#, attribute(&good, "Concepto"));
    let (_, behind) = attribute(&good, "cadenaCDA").split_once(&sealed).unwrap();
    let tail = behind.split('|').take(5).collect::<Vec<_>>().join("|");
    let longer = format!(r#"{}|0.00|{AMOUNT}|{tail}""#, concept.trim_end_matches('"'));
    let moved = good
        .replace(&shown, r#"MontoPago="0.00""#)
        .replace(&concept, &longer);
    assert_ne!(moved, good);
    let answer = checked(&gateway, &key, "", &moved).await;
    assert_eq!(answer["resultado"], "invalid", "{answer}");

    let in_chain = good.replace(&sealed, "|9234.56|");
    let answer = checked(&gateway, &key, "", &in_chain).await;
    assert_eq!(
        check(&answer, "atributos_y_cadena"),
        failed("contradiccion", &["monto"])
    );
    assert_eq!(check(&answer, "sello"), failed("cadena_cambiada", &[]));

    let in_both = in_chain.replace(&shown, r#"MontoPago="9234.56""#);
    let answer = checked(&gateway, &key, "", &in_both).await;
    assert_eq!(check(&answer, "atributos_y_cadena").0, "ok");
    let both = "cadena_y_campos_cambiados_u_otro_sello";
    assert_eq!(check(&answer, "sello"), failed(both, &[]));

    let other_seal = good.replace(attribute(&good, "sello"), attribute(&other, "sello"));
    let answer = checked(&gateway, &key, "", &other_seal).await;
    assert_eq!(check(&answer, "sello"), failed(both, &[]));
    assert_eq!(check(&answer, "sello_repetido").0, "ok");

    let number = attribute(&good, "numeroCertificado");
    let other_certificate = good.replacen(number, "00001000000599999999", 1);
    let answer = checked(&gateway, &key, "", &other_certificate).await;
    assert_eq!(answer["resultado"], "invalid");
    assert_eq!(
        check(&answer, "certificado"),
        failed("otro_certificado", &[])
    );

    let chain = attribute(&good, "cadenaCDA");
    let swapped = other.replace(attribute(&other, "cadenaCDA"), chain);
    let swapped = swapped.replace(attribute(&other, "sello"), attribute(&good, "sello"));
    let answer = checked(&gateway, &key, "", &swapped).await;
    assert_eq!(answer["resultado"], "invalid");
    let (result, _, fields) = check(&answer, "atributos_y_cadena");
    assert_eq!(result, "failed");
    assert!(fields.contains(&"monto".to_owned()), "{fields:?}");
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
                let file = ("", "application/pdf");
                let answer = send(&gateway, &greedy, file, hostile()).await;
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
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = bank.gateway();
    let (test, live) = (gateway.roomy_key(), gateway.live_key());
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
