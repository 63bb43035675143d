//! Checks of `Content-Type` and `Content-Encoding`.

use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};

use crate::context::single_header;
use crate::problem::Problem;

/// Maximum length of a boundary (RFC 2046, 5.1.1).
const MAX_BOUNDARY: usize = 70;

/// Returns true when the headers declare uncompressed `application/json` in UTF-8.
pub fn is_json(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(|value| is_type(value, "application/json"))
}

/// Returns true when the headers declare JSON, a table, a ZIP file, a proof or a picture. HTML forms can't send these
/// types, so pages of another site need a preflight (Fetch, "CORS-safelisted request-header").
pub(crate) fn is_json_or_file(headers: &HeaderMap) -> bool {
    let is_file = |declared| TableType::of_media_type(declared).is_some() || is_document(declared);
    is_json(headers) || media_type(headers).is_some_and(is_file) || is_archive(headers)
}

/// Returns true for the type of a proof or a picture of a receipt.
fn is_document(declared: &str) -> bool {
    let types = [
        "application/pdf",
        "application/xml",
        "text/xml",
        "image/jpeg",
        "image/png",
        "image/webp",
    ];
    let declared = essence(declared);
    types.iter().any(|name| declared.eq_ignore_ascii_case(name))
}

/// Format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableType {
    /// Comma, semicolon or tab separated values, or a workbook: the bytes tell.
    Sheet,
    /// One JSON object per line.
    JsonLines,
}

impl TableType {
    /// The format of a media type, whose parameters are ignored: the encoding is detected from the file. Browsers
    /// on computers with Excel send CSV files with Excel's type, so the bytes tell which of the two a file is.
    pub fn of_media_type(declared: &str) -> Option<Self> {
        let types = [
            ("text/csv", Self::Sheet),
            ("application/csv", Self::Sheet),
            ("application/vnd.ms-excel", Self::Sheet),
            ("text/tab-separated-values", Self::Sheet),
            (
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                Self::Sheet,
            ),
            (
                "application/vnd.ms-excel.sheet.macroenabled.12",
                Self::Sheet,
            ),
            (
                "application/vnd.oasis.opendocument.spreadsheet",
                Self::Sheet,
            ),
            ("application/x-ndjson", Self::JsonLines),
            ("application/ndjson", Self::JsonLines),
            ("application/jsonl", Self::JsonLines),
        ];
        named(types, essence(declared))
    }

    /// The format that the ending of a file's name tells.
    pub fn of_file_name(name: &str) -> Option<Self> {
        let endings = [
            ("csv", Self::Sheet),
            ("tsv", Self::Sheet),
            ("txt", Self::Sheet),
            ("xlsx", Self::Sheet),
            ("xlsm", Self::Sheet),
            ("xls", Self::Sheet),
            ("ods", Self::Sheet),
            ("ndjson", Self::JsonLines),
            ("jsonl", Self::JsonLines),
        ];
        let (_, ending) = name.trim_end().rsplit_once('.')?;
        named(endings, ending)
    }
}

/// The format with this name, whatever its case.
fn named<const N: usize>(formats: [(&str, TableType); N], name: &str) -> Option<TableType> {
    let mut formats = formats.into_iter();
    let format = formats.find(|(known, _)| name.eq_ignore_ascii_case(known));
    format.map(|(_, table)| table)
}

/// Declared format of a body with a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableBody {
    /// The table itself.
    Table(TableType),
    /// `multipart/form-data`, with the table in one of its parts.
    Form {
        /// Separator of the parts.
        boundary: String,
    },
}

impl TableBody {
    /// The format that the headers declare, if uncompressed.
    ///
    /// # Errors
    /// [`Problem::UnsupportedTableType`] or [`Problem::NoBoundary`].
    pub fn of(headers: &HeaderMap) -> Result<Self, Problem> {
        let declared = media_type(headers).ok_or(Problem::UnsupportedTableType)?;
        if !is_form_type(declared) {
            let table = TableType::of_media_type(declared).map(Self::Table);
            return table.ok_or(Problem::UnsupportedTableType);
        }
        let boundary = multer::parse_boundary(declared).map_err(|_| Problem::NoBoundary)?;
        if (1..=MAX_BOUNDARY).contains(&boundary.len()) {
            Ok(Self::Form { boundary })
        } else {
            Err(Problem::NoBoundary)
        }
    }
}

/// Returns true when the headers declare `multipart/form-data`.
pub(crate) fn is_form(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(is_form_type)
}

fn is_form_type(declared: &str) -> bool {
    essence(declared).eq_ignore_ascii_case("multipart/form-data")
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
