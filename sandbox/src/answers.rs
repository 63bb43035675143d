//! HTTP answers with the headers of the recorded portal.

use std::convert::Infallible;

use axum::body::Body;
use axum::http::header::{
    CONNECTION, CONTENT_DISPOSITION, CONTENT_LANGUAGE, CONTENT_TYPE, SET_COOKIE,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures::stream;

use crate::pages;
use crate::server::HangUp;

/// The buffer of the application server, and so the size of its chunks.
const CHUNK: usize = 8 * 1024;

const HTML: (HeaderName, &str) = (CONTENT_TYPE, "text/html; charset=UTF-8");
const SPANISH: (HeaderName, &str) = (CONTENT_LANGUAGE, "es-MX");

/// A page, with its length.
pub(crate) fn page(html: &'static str) -> Response {
    ([HTML, SPANISH], html).into_response()
}

/// A page without a length, in chunks that don't care where a character ends.
pub(crate) fn chunked_page(html: String) -> Response {
    let html = Bytes::from(html);
    let chunks: Vec<_> = (0..html.len())
        .step_by(CHUNK)
        .map(|start| html.slice(start..html.len().min(start + CHUNK)))
        .map(Ok::<_, Infallible>)
        .collect();
    ([HTML, SPANISH], Body::from_stream(stream::iter(chunks))).into_response()
}

/// The application server's own page; it closes the connection behind it.
pub(crate) fn server_error() -> Response {
    let headers = [HTML, (CONNECTION, "close")];
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        headers,
        pages::SERVER_ERROR,
    )
        .into_response()
}

/// A file to save. The portal doesn't quote the name, so it must not need it.
pub(crate) fn file(media_type: &'static str, name: &str, bytes: Bytes) -> Response {
    let headers = [
        (CONTENT_DISPOSITION, format!("attachment; filename={name}")),
        (CONTENT_TYPE, media_type.to_owned()),
        (CONTENT_LANGUAGE, "es-MX".to_owned()),
    ];
    (headers, bytes).into_response()
}

/// No answer: [`crate::serve`] closes the connection instead of sending this.
pub(crate) fn hang_up() -> Response {
    let mut answer = StatusCode::SERVICE_UNAVAILABLE.into_response();
    answer.extensions_mut().insert(HangUp);
    answer
}

/// Adds a cookie; one that can't stand in a header is left out.
pub(crate) fn set_cookie(answer: &mut Response, cookie: &str) {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        answer.headers_mut().append(SET_COOKIE, cookie);
    }
}
