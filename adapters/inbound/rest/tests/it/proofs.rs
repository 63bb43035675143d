//! Delivered proofs: the success of each endpoint, byte for byte.

use std::io::{Cursor, Read as _};

use base64::Engine as _;
use domain::outcome::{Endpoint, Outcome};
use domain::proofs::file::RequestedFiles;
use rstest::rstest;

use crate::bank;
use crate::harness::{Exchange, Harness, body, inferred};

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
        let answer = harness.post(&path, body(&[])).transcript().await;
        let name = format!("a_proof_is_delivered__{}", endpoint.name());
        insta::assert_snapshot!(name, answer);
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
    for (changes, expected) in [
        (vec![("emisor", ""), ("receptor", "")], ["40012", "40002"]),
        (
            vec![("emisor", ""), ("receptor", "null")],
            ["40012", "40002"],
        ),
        (vec![("emisor", "")], ["40012", ""]),
        (vec![("receptor", "")], ["", "40002"]),
        (vec![], ["", ""]),
    ] {
        let path = format!("/v1/cep/{endpoint}");
        let response = harness.post(&path, body(&changes)).response().await;
        assert_eq!(response.status(), 200);
        assert_eq!(inferred(&response), expected);
    }
}

#[tokio::test]
async fn bytes_of_the_bank_pass_untouched_in_all_four_shapes() {
    let harness = Harness::start().await;
    let fetch = async |endpoint: &str| {
        let path = format!("/v1/cep/{endpoint}");
        let response = harness.post(&path, body(&[])).response().await;
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
        let mut file = archive.by_index(index).unwrap();
        file.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, *expected);
    }
}

#[tokio::test]
async fn the_central_bank_may_be_the_issuer() {
    let harness = Harness::start().await;
    let body = body(&[("emisor", "\"2001\""), ("receptor", "\"40002\"")]);
    let response = harness.post("/v1/cep/xml", body).response().await;
    assert_eq!(response.status(), 200);
}
