//! HTTP responses with the headers of the recorded portal.

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
use crate::server::AbortConnection;

/// Chunk size in bytes: the application server's buffer size.
const CHUNK: usize = 8 * 1024;

const HTML: (HeaderName, &str) = (CONTENT_TYPE, "text/html; charset=UTF-8");
const SPANISH: (HeaderName, &str) = (CONTENT_LANGUAGE, "es-MX");

/// Returns a page with `Content-Length`.
pub(crate) fn page(html: &'static str) -> Response {
    ([HTML, SPANISH], html).into_response()
}

/// Returns a page in chunks; a chunk may end within a character.
pub(crate) fn chunked_page(html: String) -> Response {
    let html = Bytes::from(html);
    let chunks: Vec<_> = (0..html.len())
        .step_by(CHUNK)
        .map(|start| html.slice(start..html.len().min(start + CHUNK)))
        .map(Ok::<_, Infallible>)
        .collect();
    ([HTML, SPANISH], Body::from_stream(stream::iter(chunks))).into_response()
}

/// Returns the application server's error page, which closes the connection.
pub(crate) fn server_error() -> Response {
    let headers = [HTML, (CONNECTION, "close")];
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        headers,
        pages::SERVER_ERROR,
    )
        .into_response()
}

/// Returns a download. The portal doesn't quote the file name, so it must not need quotes.
pub(crate) fn file(media_type: &'static str, name: &str, bytes: Bytes) -> Response {
    let headers = [
        (CONTENT_DISPOSITION, format!("attachment; filename={name}")),
        (CONTENT_TYPE, media_type.to_owned()),
        (CONTENT_LANGUAGE, "es-MX".to_owned()),
    ];
    (headers, bytes).into_response()
}

/// Returns a marker response for which [`crate::serve`] closes the connection without a response.
pub(crate) fn abort_connection() -> Response {
    let mut answer = StatusCode::SERVICE_UNAVAILABLE.into_response();
    answer.extensions_mut().insert(AbortConnection);
    answer
}

/// Adds a cookie, unless it is an invalid header value.
pub(crate) fn set_cookie(answer: &mut Response, cookie: &str) {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        answer.headers_mut().append(SET_COOKIE, cookie);
    }
}
