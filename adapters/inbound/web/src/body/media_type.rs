//! Declared media types of bodies.

use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};

use crate::context::single_header;

/// Returns true when the headers declare `application/json`, in UTF-8 and not compressed.
pub fn is_json(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(|value| is_type(value, "application/json"))
}

/// Returns true when the headers declare JSON, a table or a ZIP file: types that no form has a browser send,
/// so that a page of another site has to ask first (Fetch, "CORS-safelisted request-header").
pub(crate) fn is_json_or_file(headers: &HeaderMap) -> bool {
    is_json(headers) || table_type(headers).is_some() || is_archive(headers)
}

/// Kinds of tables that a body is declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableType {
    /// Values with separators between them.
    Csv,
    /// An object of JSON in each line.
    JsonLines,
}

/// The kind of table that the headers declare, not compressed. Browsers on computers with Excel declare
/// every CSV as a file of Excel. A declared encoding doesn't count: the file itself tells.
pub(super) fn table_type(headers: &HeaderMap) -> Option<TableType> {
    let declared = essence(media_type(headers)?);
    let types = [
        ("text/csv", TableType::Csv),
        ("application/csv", TableType::Csv),
        ("application/vnd.ms-excel", TableType::Csv),
        ("text/tab-separated-values", TableType::Csv),
        ("application/x-ndjson", TableType::JsonLines),
        ("application/ndjson", TableType::JsonLines),
        ("application/jsonl", TableType::JsonLines),
    ];
    let mut matching = types
        .into_iter()
        .filter(|(name, _)| declared.eq_ignore_ascii_case(name));
    matching.next().map(|(_, table)| table)
}

/// Returns true when the headers declare a ZIP file, not compressed.
pub(super) fn is_archive(headers: &HeaderMap) -> bool {
    let types = [
        "application/zip",
        "application/x-zip-compressed",
        "application/octet-stream",
    ];
    media_type(headers).is_some_and(|declared| {
        let declared = essence(declared);
        types.iter().any(|name| declared.eq_ignore_ascii_case(name))
    })
}

/// A media type without its parameters.
fn essence(value: &str) -> &str {
    value.split(';').next().unwrap_or_default().trim()
}

/// The declared media type of a body that isn't compressed.
fn media_type(headers: &HeaderMap) -> Option<&str> {
    single_header(headers, &CONTENT_TYPE).filter(|_| is_plain(headers))
}

/// Returns true when the body isn't compressed.
pub(super) fn is_plain(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_ENCODING).iter().all(is_identity)
}

/// Returns true when a `Content-Encoding` leaves the body as it is.
fn is_identity(encodings: &HeaderValue) -> bool {
    let mut encodings = encodings.as_bytes().split(|byte| *byte == b',');
    encodings.all(|encoding| encoding.trim_ascii().eq_ignore_ascii_case(b"identity"))
}

/// Returns true when `value` is this media type, without parameters or in UTF-8.
pub(super) fn is_type(value: &str, name: &str) -> bool {
    let (essence, parameters) = value.split_once(';').unwrap_or((value, ""));
    // A semicolon may stand without a parameter (RFC 9110, 5.6.6).
    let mut parameters = parameters
        .split(';')
        .map(str::trim)
        .filter(|parameter| !parameter.is_empty());
    if !essence.trim().eq_ignore_ascii_case(name) {
        return false;
    }
    match (parameters.next(), parameters.next()) {
        (None, _) => true,
        (Some(parameter), None) => is_utf_8(parameter),
        (Some(_), Some(_)) => false,
    }
}

fn is_utf_8(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, value)| {
        name.eq_ignore_ascii_case("charset")
            && value.trim_matches('"').eq_ignore_ascii_case("utf-8")
    })
}
