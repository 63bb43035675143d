//! Proofs of the sandbox, and PDFs made by hand.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, COOKIE, SET_COOKIE};
use axum::http::{HeaderValue, Request};
use chrono::{DateTime, Utc};
use http_body_util::BodyExt as _;
use sandbox::SandboxConfig;
use tower::ServiceExt as _;
use url::form_urlencoded;

/// The time at which the sandbox issues its proofs.
pub(crate) const NOW: &str = "2026-11-20T18:00:00Z";

/// Both files of a proof.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) xml: String,
    pub(crate) pdf: Vec<u8>,
}

/// The sandbox's proof of a transfer of this number.
pub(crate) fn proof(number: u32) -> Files {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let xml = download(number, "XML").await;
        let pdf = download(number, "PDF").await;
        let xml = String::from_utf8(xml).unwrap();
        Files { xml, pdf }
    })
}

async fn download(number: u32, format: &str) -> Vec<u8> {
    let now: DateTime<Utc> = NOW.parse().unwrap();
    let portal = sandbox::router(SandboxConfig {
        latency: Duration::ZERO,
        now: Arc::new(move || now),
    });
    let key = format!("MBAN0100261120{number:08}");
    // A few kinds of amounts, so that their places differ.
    let amount = ["1234.56", "5.55", "987654.32", "1000000.00"][number as usize % 4];
    let form: String = form_urlencoded::Serializer::new(String::new())
        .extend_pairs([
            ("tipoCriterio", "T"),
            ("captcha", "c"),
            ("tipoConsulta", "1"),
            ("fecha", "20-11-2026"),
            ("criterio", &key),
            ("emisor", "40012"),
            ("receptor", "40002"),
            ("cuenta", "002010077777777771"),
            ("monto", amount),
            ("receptorParticipante", "0"),
        ])
        .finish();
    let validate = Request::post("/cep/valida.do")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(form))
        .unwrap();
    let validated = portal.clone().oneshot(validate).await.unwrap();
    let cookie = |line: &HeaderValue| line.to_str().unwrap().split(';').next().unwrap().to_owned();
    let cookies: Vec<String> = validated
        .headers()
        .get_all(SET_COOKIE)
        .iter()
        .map(cookie)
        .collect();
    let download = Request::get(format!("/cep/descarga.do?formato={format}"))
        .header(COOKIE, cookies.join("; "))
        .body(Body::empty())
        .unwrap();
    let answer = portal.oneshot(download).await.unwrap();
    assert_eq!(answer.status(), 200);
    answer
        .into_body()
        .collect()
        .await
        .unwrap()
        .to_bytes()
        .to_vec()
}

/// A PDF of these objects, numbered from 1; the first is the catalog.
pub(crate) fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    pdf_with_trailer(objects, "")
}

pub(crate) fn pdf_with_trailer(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut file = b"%PDF-1.5\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(objects) {
        offsets.push(file.len());
        file.extend(format!("{number} 0 obj\n").into_bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").into_bytes());
    }
    let size = objects.len() + 1;
    let end = format!("trailer\n<</Root 1 0 R/Size {size}{trailer}>>\nstartxref\n{table}\n%%EOF\n");
    file.extend(end.into_bytes());
    file
}

/// A stream object.
pub(crate) fn stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let mut object = format!("<<{entries}/Length {}>>stream\n", bytes.len()).into_bytes();
    object.extend(bytes);
    object.extend(b"\nendstream");
    object
}

/// The objects of a PDF of one page, with one picture, and a standard font as `F1`.
pub(crate) fn page_objects(content: Vec<u8>) -> Vec<Vec<u8>> {
    vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</I 6 0 R>>>>>>"
            .to_vec(),
        content,
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_vec(),
        stream("/Type/XObject/Subtype/Image/Width 1/Height 1", b"\0\0\0"),
    ]
}

/// The objects of a PDF whose page is the portal's but for its content.
pub(crate) fn sheet_objects(content: Vec<u8>) -> Vec<Vec<u8>> {
    let mut objects = page_objects(content);
    objects[2] = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 850]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>\
        /XObject<</I 6 0 R>>>>>>"
        .to_vec();
    objects[5] = b"<<>>".to_vec();
    objects
}

/// Boxes and lines of the portal's page.
pub(crate) fn frames() -> String {
    let boxes = [
        (22, 782, 574, 800, "0.8 0.8 0.8"),
        (22, 692, 397, 780, "0.93333 0.93333 0.93333"),
        (333, 692, 574, 780, "0.8 0.8 0.8"),
        (304, 556, 574, 686, "0.8 0.8 0.8"),
        (22, 556, 302, 686, "0.93333 0.93333 0.93333"),
        (21, 35, 575, 165, "0.8 0.8 0.8"),
    ];
    let framed = boxes.map(|(left, bottom, right, top, grey)| {
        let edges = format!(
            "{left} {bottom} m {right} {bottom} l {right} {top} l {left} {top} l {left} {bottom} l"
        );
        format!("{grey} rg 1 w 2 J 1 1 1 RG [] 0 d {edges} f {edges} S ")
    });
    let lines =
        "4.25 w 0 J 0.4 0.4 0.4 RG 23 693.5 m 573 693.5 l S 3 w 0 0 0 RG 20 525 m 572 523 l S 1 w ";
    framed.concat() + lines
}

/// A PDF whose page is the portal's but for its texts, with more in its content.
pub(crate) fn sheet(content: &str) -> Vec<u8> {
    pdf(&sheet_objects(stream("", (frames() + content).as_bytes())))
}

/// Adds entries to a dictionary.
pub(crate) fn add_entries(dictionary: &mut Vec<u8>, entries: &str) {
    let place = dictionary.windows(2).rposition(|it| it == b">>").unwrap();
    dictionary.splice(place..place, entries.bytes());
}

/// A PDF whose only page draws `content`.
pub(crate) fn drawn(content: &str) -> Vec<u8> {
    pdf(&page_objects(stream("", content.as_bytes())))
}

/// Replaces bytes by others of the same number, everywhere.
pub(crate) fn replaced(file: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut file = file.to_vec();
    let mut found = false;
    for place in 0..=file.len() - from.len() {
        if file[place..].starts_with(from) {
            file[place..place + to.len()].copy_from_slice(to);
            found = true;
        }
    }
    assert!(found, "nothing was replaced");
    file
}
