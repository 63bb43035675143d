//! Queries for reference numbers.

use axum::http::StatusCode;
use axum::response::{Html, IntoResponse as _, Response};
use ports::contract::bank::{lookup_by_reference, scene};
use ports::outbound::{Bank as _, BankAnswer, BankError};

use crate::support::{
    PDF, READY, RecordedRequest, TOO_MANY, TestPortal, XML, assert_protocol_error,
};

/// A portal that has these responses to the downloads of a PDF and an XML.
async fn portal(pdf: fn() -> Response, xml: fn() -> Response) -> TestPortal {
    TestPortal::start(move |request: RecordedRequest| async move {
        if request.is_validation() {
            return Html(READY).into_response();
        }
        if request.target.ends_with("=PDF") {
            pdf()
        } else {
            xml()
        }
    })
    .await
}

fn not_armed() -> Response {
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

async fn answer(pdf: fn() -> Response, xml: fn() -> Response) -> Result<BankAnswer, BankError> {
    let portal = portal(pdf, xml).await;
    let adapter = portal.adapter();
    adapter.fetch(&lookup_by_reference(scene::ISSUED)).await
}

#[tokio::test]
async fn the_form_names_the_number_and_the_pdf_is_asked_for_first() {
    let portal = portal(|| PDF.into_response(), || XML.into_response()).await;
    let adapter = portal.adapter();
    let answer = adapter.fetch(&lookup_by_reference(scene::ISSUED)).await;
    let Ok(BankAnswer::Issued(files)) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(files.pdf.as_deref(), Some(PDF));
    assert_eq!(files.xml.as_deref(), Some(XML));
    let requests = portal.requests();
    let form = String::from_utf8(requests[0].body.to_vec()).unwrap();
    assert!(form.contains("tipoCriterio=R&criterio=4600001&"), "{form}");
    let asked = requests[1..]
        .iter()
        .map(|it| &it.target[it.target.len() - 3..]);
    assert!(asked.eq(["PDF", "XML"]));
}

#[tokio::test]
async fn what_begins_as_a_zip_is_that_of_several_whatever_was_asked_for() {
    let zip: &[u8] = b"PK\x03\x04...";
    let answer = answer(|| b"PK\x03\x04...".into_response(), not_armed).await;
    assert_eq!(answer.unwrap(), BankAnswer::Several(zip.into()));
}

#[tokio::test]
async fn a_download_that_is_neither_is_never_guessed() {
    assert_protocol_error(&answer(|| "<html></html>".into_response(), not_armed).await);
    assert_protocol_error(&answer(|| PDF.into_response(), || PDF.into_response()).await);
    let failed = answer(
        || (StatusCode::INTERNAL_SERVER_ERROR, "PK\x03\x04").into_response(),
        not_armed,
    );
    assert!(matches!(failed.await, Err(BankError::Unavailable { .. })));
    let limited = answer(|| Html(TOO_MANY).into_response(), not_armed).await;
    assert!(matches!(limited, Err(BankError::Throttled { .. })));
}
