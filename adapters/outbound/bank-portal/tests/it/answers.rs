//! Validation of downloads and of pages in their place.

use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse as _};
use domain::proofs::file::RequestedFiles;
use ports::outbound::{Bank as _, BankAnswer, BankError, BankFiles};
use rstest::rstest;

use crate::support::{
    CAPTCHA, NOT_FOUND, PDF, READY, TOO_MANY, TestPortal, XML, adapter, assert_protocol_error,
    assert_unavailable, config, error_chain, lookup, throttled,
};

async fn downloading(body: &'static [u8], wanted: RequestedFiles) -> Result<BankAnswer, BankError> {
    let portal = TestPortal::ready(move |_| body).await;
    portal.adapter().fetch(&lookup("KEY01", wanted)).await
}

#[rstest]
#[case::usual(XML)]
#[case::byte_order_mark(b"\xEF\xBB\xBF\r\n<SPEI_Tercero/>")]
#[case::invalid_utf_8(b"<?xml version=\"1.0\"?>\xFF\xFE\x00\r\r\n\n <SPEI_Tercero/> \x1a")]
#[tokio::test]
async fn an_xml_is_passed_on_to_the_byte(#[case] xml: &'static [u8]) {
    let answer = downloading(xml, RequestedFiles::Xml).await.unwrap();
    let (xml, pdf) = (Some(xml.into()), None);
    assert_eq!(answer, BankAnswer::Issued(BankFiles { xml, pdf }));
}

#[tokio::test]
async fn a_pdf_is_passed_on_to_the_byte() {
    let (xml, pdf) = (None, Some(PDF.into()));
    let answer = downloading(PDF, RequestedFiles::Pdf).await.unwrap();
    assert_eq!(answer, BankAnswer::Issued(BankFiles { xml, pdf }));
}

#[rstest]
#[tokio::test]
async fn a_limit_page_instead_of_a_file_is_throttling(
    #[values(TOO_MANY, CAPTCHA)] page: &'static str,
    #[values(RequestedFiles::Xml, RequestedFiles::Pdf, RequestedFiles::Both)]
    wanted: RequestedFiles,
) {
    throttled(downloading(page.as_bytes(), wanted).await);
}

#[rstest]
#[tokio::test]
async fn a_page_instead_of_a_file_is_a_protocol_error_and_never_not_found(
    #[values("<html>¿Qué?</html>", READY, NOT_FOUND, "", "{}")] page: &'static str,
    #[values(RequestedFiles::Xml, RequestedFiles::Pdf)] wanted: RequestedFiles,
) {
    assert_protocol_error(&downloading(page.as_bytes(), wanted).await);
}

#[tokio::test]
async fn files_of_the_other_format_are_a_protocol_error() {
    for (file, wanted) in [
        (XML, RequestedFiles::Pdf),
        (PDF, RequestedFiles::Xml),
        (XML, RequestedFiles::Both),
    ] {
        assert_protocol_error(&downloading(file, wanted).await);
    }
}

#[tokio::test]
async fn a_session_that_is_not_armed_any_more_is_unavailable() {
    let portal = TestPortal::ready(|_| StatusCode::INTERNAL_SERVER_ERROR).await;
    assert_unavailable(&portal.fetch_xml().await);
    let requests = portal.requests().len();
    assert_eq!(requests, 2, "an answer is never requested twice");
}

#[rstest]
#[case("attachment; filename=CEP-20250616-KEY01.pdf", true)]
#[case("attachment", true)]
#[case("attachment; filename=CEP-20250616-KEY02.pdf", false)]
#[tokio::test]
async fn a_pdf_that_is_named_after_another_transfer_is_refused(
    #[case] disposition: &'static str,
    #[case] accepted: bool,
    #[values(RequestedFiles::Pdf, RequestedFiles::Both)] wanted: RequestedFiles,
) {
    let portal = TestPortal::ready(move |request| {
        let is_pdf = request.target.ends_with("PDF");
        let file = if is_pdf { PDF } else { XML };
        ([(header::CONTENT_DISPOSITION, disposition)], file)
    })
    .await;
    let answer = portal.adapter().fetch(&lookup("KEY01", wanted)).await;
    if accepted {
        assert!(matches!(answer, Ok(BankAnswer::Issued(_))), "{answer:?}");
    } else {
        assert_protocol_error(&answer);
    }
}

/// The answer to a lookup at a portal that responds with this status, whatever the page says.
async fn responding(status: u16) -> Result<BankAnswer, BankError> {
    let status = StatusCode::from_u16(status).unwrap();
    let portal = TestPortal::start(move |_| async move { (status, Html(NOT_FOUND)) }).await;
    portal.fetch_xml().await
}

#[tokio::test]
async fn a_portal_that_fails_is_unavailable_and_any_other_status_a_protocol_error() {
    for status in [500, 503] {
        assert_unavailable(&responding(status).await);
    }
    for status in [403, 404, 418] {
        assert_protocol_error(&responding(status).await);
    }
}

#[tokio::test]
async fn an_unknown_page_is_logged_by_fingerprint_alone_and_stored_if_enabled() {
    const PAGE: &str = "<p>CANARY Ana Prueba 014180000000000017</p>";
    let portal = TestPortal::start(|_| async { Html(PAGE).into_response() }).await;
    let folder = tempfile::tempdir().unwrap();
    let adapter = adapter(bank_portal::PortalConfig {
        diagnostics_dir: Some(folder.path().join("unknown")),
        ..config(&portal.url())
    });
    let lookup = lookup("KEYCANARY", RequestedFiles::Xml);
    let text = error_chain(&adapter.fetch(&lookup).await.unwrap_err());
    let described = format!("HTTP 200, {} bytes, fingerprint ", PAGE.len());
    assert!(text.contains(&described), "{text}");
    for secret in ["CANARY", "Ana", "0141800", "1234.56"] {
        assert!(!text.contains(secret), "{text}");
    }
    let kept = std::fs::read_dir(folder.path().join("unknown")).unwrap();
    let kept: Vec<_> = kept.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.len(), 1);
    let fingerprint = kept[0].file_stem().unwrap().to_str().unwrap();
    assert!(text.contains(fingerprint));
    assert_eq!(std::fs::read_to_string(&kept[0]).unwrap(), PAGE);
}
