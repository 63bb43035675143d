//! Delivered proofs: the success of each endpoint, byte for byte.

use std::io::{Cursor, Read as _};

use base64::Engine as _;
use domain::file::RequestedFiles;
use domain::outcome::{Endpoint, Outcome};
use rstest::rstest;

use crate::bank;
use crate::data::UNCAPPED_KEY;
use crate::harness::{Harness, body, transcript};

#[rstest]
#[case(Endpoint::XmlAuto, RequestedFiles::Xml)]
#[case(Endpoint::Xml, RequestedFiles::Xml)]
#[case(Endpoint::Pdf, RequestedFiles::Both)]
#[case(Endpoint::PdfAuto, RequestedFiles::Both)]
#[case(Endpoint::ZipAuto, RequestedFiles::Both)]
#[case(Endpoint::Base64, RequestedFiles::Both)]
#[case(Endpoint::XmlBase64, RequestedFiles::Xml)]
#[case(Endpoint::JsonAuto, RequestedFiles::Xml)]
#[case(Endpoint::Json, RequestedFiles::Xml)]
#[tokio::test]
async fn a_proof_is_delivered(#[case] endpoint: Endpoint, #[case] wanted: RequestedFiles) {
    for alias in ["", "/api"] {
        let harness = Harness::start().await;
        let path = format!("{alias}/v1/cep/{}", endpoint.name());
        let response = harness.post(&path, body(&[])).send().await.unwrap();
        insta::assert_snapshot!(
            format!("a_proof_is_delivered__{}", endpoint.name()),
            transcript(response).await
        );
        assert_eq!(harness.outcomes().await, [Outcome::Delivered]);
        let [lookup] = &harness.bank().asked()[..] else {
            panic!("the bank is asked once");
        };
        let amount = lookup.transfer.amount().centavos();
        assert_eq!((lookup.wanted, amount), (wanted, 123_456));
    }
}

#[rstest]
#[case("xml_auto")]
#[case("pdf_auto")]
#[case("zip_auto")]
#[case("json_auto")]
#[tokio::test]
async fn only_sides_that_were_inferred_have_a_header(#[case] endpoint: &str) {
    let harness = Harness::start().await;
    let cases = [
        (
            vec![("emisor", ""), ("receptor", "")],
            [Some("40012"), Some("40002")],
        ),
        (
            vec![("emisor", ""), ("receptor", "null")],
            [Some("40012"), Some("40002")],
        ),
        (vec![("emisor", "")], [Some("40012"), None]),
        (vec![("receptor", "")], [None, Some("40002")]),
        (vec![], [None, None]),
    ];
    for (changes, expected) in cases {
        let path = format!("/v1/cep/{endpoint}");
        let response = harness.post(&path, body(&changes)).send().await.unwrap();
        assert_eq!(response.status(), 200);
        let header = |name| {
            response
                .headers()
                .get(name)
                .map(|value| value.to_str().unwrap())
        };
        let inferred = [header("x-inferred-emisor"), header("x-inferred-receptor")];
        assert_eq!(inferred, expected);
    }
}

#[tokio::test]
async fn bytes_of_the_bank_pass_untouched_in_all_four_shapes() {
    let harness = Harness::start().await;
    let fetch = async |endpoint: &str| {
        let path = format!("/v1/cep/{endpoint}");
        let response = harness.post(&path, body(&[])).send().await.unwrap();
        response.bytes().await.unwrap()
    };
    let pdf = fetch("pdf").await;
    let lookup = &harness.bank().asked()[0];
    let issued = bank::proof(&lookup.transfer);
    let (issued_xml, issued_pdf) = (issued.xml.unwrap(), issued.pdf.unwrap());
    assert_eq!(pdf, issued_pdf);
    assert_eq!(fetch("xml").await, issued_xml);
    for (endpoint, expected) in [("xml_base64", &issued_xml), ("base64", &issued_pdf)] {
        let envelope: serde_json::Value = serde_json::from_slice(&fetch(endpoint).await).unwrap();
        let data = envelope["data"].as_str().unwrap();
        let decoded = base64::engine::general_purpose::STANDARD.decode(data);
        assert_eq!(decoded.unwrap(), *expected);
    }
    let mut archive = zip::ZipArchive::new(Cursor::new(fetch("zip_auto").await)).unwrap();
    for (index, expected) in [(0, &issued_xml), (1, &issued_pdf)] {
        let mut bytes = Vec::new();
        archive
            .by_index(index)
            .unwrap()
            .read_to_end(&mut bytes)
            .unwrap();
        assert_eq!(bytes, *expected);
    }
}

#[tokio::test]
async fn a_key_without_a_cap_has_no_month_in_its_limits() {
    let harness = Harness::start().await;
    let request = harness
        .request("POST", "/v1/cep/xml")
        .header("x-api-key", UNCAPPED_KEY)
        .header("content-type", "application/json")
        .body(body(&[]));
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["ratelimit"], r#""minute";r=59;t=60"#);
    assert_eq!(
        response.headers()["ratelimit-policy"],
        r#""minute";q=60;w=60"#
    );
}

#[rstest]
#[case("\"2001\"", "40002", 200)]
#[tokio::test]
async fn the_central_bank_may_be_the_issuer(
    #[case] issuer: &str,
    #[case] receiver: &str,
    #[case] status: u16,
) {
    let harness = Harness::start().await;
    let body = body(&[("emisor", issuer), ("receptor", &format!("\"{receiver}\""))]);
    let response = harness.post("/v1/cep/xml", body).send().await.unwrap();
    assert_eq!(response.status(), status);
}
