//! Checks of `Content-Type` and `Content-Encoding`.

use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};

use crate::context::single_header;

/// Returns true when the headers declare uncompressed `application/json` in UTF-8.
pub fn is_json(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(|value| is_type(value, "application/json"))
}

/// Returns true when the headers declare JSON, a table or a ZIP file. HTML forms can't send these types, so
/// pages of another site need a preflight (Fetch, "CORS-safelisted request-header").
pub(crate) fn is_json_or_file(headers: &HeaderMap) -> bool {
    is_json(headers) || table_type(headers).is_some() || is_archive(headers)
}

/// Format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableType {
    /// Comma, semicolon or tab separated values, or a workbook: the bytes tell.
    Sheet,
    /// One JSON object per line.
    JsonLines,
}

/// The table format that the headers declare, if uncompressed. Browsers on computers with Excel send CSV
/// files with Excel's type, so the bytes tell which of the two a file is. `charset` is ignored: the encoding is detected from the file.
pub(super) fn table_type(headers: &HeaderMap) -> Option<TableType> {
    let declared = essence(media_type(headers)?);
    let types = [
        ("text/csv", TableType::Sheet),
        ("application/csv", TableType::Sheet),
        ("application/vnd.ms-excel", TableType::Sheet),
        ("text/tab-separated-values", TableType::Sheet),
        (
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            TableType::Sheet,
        ),
        (
            "application/vnd.ms-excel.sheet.macroenabled.12",
            TableType::Sheet,
        ),
        (
            "application/vnd.oasis.opendocument.spreadsheet",
            TableType::Sheet,
        ),
        ("application/x-ndjson", TableType::JsonLines),
        ("application/ndjson", TableType::JsonLines),
        ("application/jsonl", TableType::JsonLines),
    ];
    let mut matching = types
        .into_iter()
        .filter(|(name, _)| declared.eq_ignore_ascii_case(name));
    matching.next().map(|(_, table)| table)
}

/// Returns true when the headers declare a ZIP file without a `Content-Encoding`.
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

/// The `Content-Type` of a body without a `Content-Encoding`.
fn media_type(headers: &HeaderMap) -> Option<&str> {
    single_header(headers, &CONTENT_TYPE).filter(|_| is_plain(headers))
}

/// Returns true when the headers declare no `Content-Encoding` other than `identity`.
pub(super) fn is_plain(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_ENCODING).iter().all(is_identity)
}

/// Returns true when all codings in a `Content-Encoding` value are `identity`.
fn is_identity(encodings: &HeaderValue) -> bool {
    let mut encodings = encodings.as_bytes().split(|byte| *byte == b',');
    encodings.all(|encoding| encoding.trim_ascii().eq_ignore_ascii_case(b"identity"))
}

/// Returns true when `value` is this media type, with no parameter other than `charset=utf-8`.
pub(super) fn is_type(value: &str, name: &str) -> bool {
    let (essence, parameters) = value.split_once(';').unwrap_or((value, ""));
    // A parameter may be empty (RFC 9110, 5.6.6).
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
