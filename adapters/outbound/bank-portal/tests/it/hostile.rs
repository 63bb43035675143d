//! Hostile responses: redirects, endless and slow bodies, entity and compression bombs.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use domain::proofs::file::RequestedFiles;
use futures::{StreamExt as _, stream};
use ports::outbound::{Bank as _, BankError};
use rstest::rstest;

use crate::support::{
    NOT_FOUND, READY, TestPortal, XML, assert_protocol_error, error_chain, impatient, lookup,
};

const MIB: usize = 1024 * 1024;

#[rstest]
#[tokio::test]
async fn a_redirect_is_not_followed(#[values(301, 302, 303, 307, 308)] status: u16) {
    let elsewhere = TestPortal::start(|_| async { NOT_FOUND }).await;
    let location = format!("{}/valida.do", elsewhere.url());
    let status = StatusCode::from_u16(status).unwrap();
    let portal = TestPortal::start(move |_| {
        let location = location.clone();
        async move { (status, [(header::LOCATION, location)]) }
    })
    .await;
    assert_protocol_error(&portal.fetch_xml().await);
    assert_eq!(portal.requests().len(), 1);
    assert_eq!(elsewhere.requests().len(), 0);
}

/// A body of `first` and an endless stream of chunks; counts the bytes taken.
fn endless(first: &'static [u8], taken: &Arc<AtomicUsize>) -> Body {
    let taken = Arc::clone(taken);
    let first = stream::iter([Bytes::from_static(first)]);
    let rest = stream::repeat(Bytes::from(vec![b' '; 64 * 1024]));
    Body::from_stream(first.chain(rest).map(move |chunk| {
        taken.fetch_add(chunk.len(), Ordering::Relaxed);
        Ok::<_, Infallible>(chunk)
    }))
}

#[rstest]
#[case::page("valida.do", READY.as_bytes(), MIB)]
#[case::file("descarga.do?formato=XML", XML, 6 * MIB)]
#[tokio::test]
async fn an_endless_body_is_abandoned_at_the_limit(
    #[case] page: &'static str,
    #[case] first: &'static [u8],
    #[case] limit: usize,
) {
    let taken = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&taken);
    let portal = TestPortal::ready_but(page, move || endless(first, &counted)).await;
    let answer = portal.fetch_xml().await;
    assert_protocol_error(&answer);
    assert!(error_chain(&answer.unwrap_err()).contains("more than"));
    // Bytes over the limit are in the sockets' buffers, some MiB on loopback.
    assert!(taken.load(Ordering::Relaxed) < limit + 8 * MIB);
}

#[tokio::test]
async fn ten_mebibytes_are_refused_with_and_without_a_content_length() {
    for claims in [true, false] {
        let portal = TestPortal::ready(move |_| {
            let chunks = stream::iter((0..160).map(|_| Ok::<_, Infallible>(vec![b' '; 64 * 1024])));
            let body = Body::from_stream(stream::iter([Ok(XML.to_vec())]).chain(chunks));
            if claims {
                let length = (XML.len() + 10 * MIB).to_string();
                ([(header::CONTENT_LENGTH, length)], body).into_response()
            } else {
                body.into_response()
            }
        })
        .await;
        assert_protocol_error(&portal.fetch_xml().await);
    }
}

#[rstest]
#[case::page("valida.do")]
#[case::file("descarga.do?formato=XML")]
#[tokio::test]
async fn a_slow_body_is_a_timeout(#[case] page: &'static str) {
    let slow = || {
        Body::from_stream(stream::unfold((), async |()| {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Some((Ok::<_, Infallible>(Bytes::from_static(b" ")), ()))
        }))
    };
    let portal = TestPortal::ready_but(page, slow).await;
    let started = Instant::now();
    let lookup = impatient(lookup("KEY01", RequestedFiles::Xml));
    let answer = portal.adapter().fetch(&lookup).await;
    assert!(matches!(answer, Err(BankError::Timeout)), "{answer:?}");
    assert!(started.elapsed() < lookup.patience + Duration::from_secs(2));
}

#[rstest]
#[case("<?xml version=\"1.0\"?>\n")]
#[case("\u{feff}<?xml version=\"1.0\"?><!-- -->")]
#[tokio::test]
async fn an_entity_bomb_is_refused_unparsed(#[case] prologue: &'static str) {
    let entities = (1..10).map(|n| {
        let many = format!("&lol{};", n - 1).repeat(10);
        format!("<!ENTITY lol{n} \"{many}\">")
    });
    let entities: String = entities.collect();
    let bomb = format!(
        "{prologue}<!DOCTYPE lolz [<!ENTITY lol0 \"lol\">{entities}]>\
         <SPEI_Tercero>&lol9;</SPEI_Tercero>"
    );
    let portal = TestPortal::ready(move |_| bomb.clone()).await;
    let started = Instant::now();
    assert_protocol_error(&portal.fetch_xml().await);
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn a_compressed_response_is_not_decompressed() {
    let portal = TestPortal::ready(|_| {
        // A stored block: decompressed, it would be taken for a proof.
        let gzip = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01$\x00\xdb\xff\
            <?xml version=\"1.0\"?><SPEI_Tercero/>\
            -w\xf4A$\x00\x00\x00";
        ([(header::CONTENT_ENCODING, "gzip")], gzip.to_vec())
    })
    .await;
    assert_protocol_error(&portal.fetch_xml().await);
}
