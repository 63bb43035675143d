//! The embedded static files of the page.
//!
//! Their URLs contain the page's version, a digest of all files. A file never changes within a version, so
//! browsers may cache it permanently. Files import each other by relative URLs, which keep the version.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::{Extension, Path};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use rust_embed::RustEmbed;
use sha2::{Digest as _, Sha256};
use web::RequestContext;

use crate::security;

#[derive(RustEmbed)]
#[folder = "page/"]
struct Page;

/// The HTML file for all paths of the dashboard.
const INDEX: &str = "index.html";

/// URL path of the files in the HTML, before the version is inserted.
const ASSETS: &str = "/dashboard/assets/";

/// Bytes of the digest: half a SHA-256, for short URLs. Collision resistance isn't needed.
const VERSION_BYTES: usize = 16;

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut names: Vec<_> = Page::iter().collect();
    names.sort();
    let mut digest = Sha256::new();
    for name in names {
        let file = Page::get(&name).expect("it was listed");
        digest.update(name.as_bytes());
        digest.update([0]);
        digest.update(file.metadata.sha256_hash());
    }
    domain::hex::encode(&digest.finalize()[..VERSION_BYTES])
});

static INDEX_HTML: LazyLock<String> = LazyLock::new(|| {
    let file = Page::get(INDEX).expect("the page has a first file");
    with_version(&String::from_utf8_lossy(&file.data))
});

/// Inserts the version into the file URLs of a page.
pub(crate) fn with_version(page: &str) -> String {
    page.replace(ASSETS, &format!("{ASSETS}{}/", *VERSION))
}

/// Serves the HTML at every path of the dashboard.
pub(crate) async fn index(headers: HeaderMap) -> Response {
    let mut response = fresh_or_not_modified(
        &headers,
        &Sha256::digest(INDEX_HTML.as_bytes()),
        Cow::Borrowed(INDEX_HTML.as_bytes()),
    );
    let fields = response.headers_mut();
    fields.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    fields.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    security::protect(fields);
    response
}

/// Serves a file of the page. Unknown names get 404 rather than the HTML, which a browser would try to run
/// as a script.
pub(crate) async fn asset(
    Path(file): Path<String>,
    context: Extension<RequestContext>,
    headers: HeaderMap,
) -> Response {
    let named = file.split_once('/').filter(|(_, name)| *name != INDEX);
    let found = named.and_then(|(version, name)| Some((version, name, Page::get(name)?)));
    let Some((version, name, file)) = found else {
        return no_asset(context).await;
    };
    let mut response = fresh_or_not_modified(&headers, &file.metadata.sha256_hash(), file.data);
    let fields = response.headers_mut();
    fields.insert(CONTENT_TYPE, media_type(name));
    // Pages of another version may still be open, or served by another process. They get this version's
    // file, but may not cache it permanently.
    let caching = if version == *VERSION {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    fields.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    security::protect_file(fields);
    // Logged at DEBUG: a first visit requests dozens of them.
    response.extensions_mut().insert(web::LogAtDebug);
    response
}

pub(crate) async fn no_asset(Extension(context): Extension<RequestContext>) -> Response {
    web::Problem::RouteNotFound.response(context.language)
}

fn fresh_or_not_modified(headers: &HeaderMap, digest: &[u8], data: Cow<'static, [u8]>) -> Response {
    let tag = format!("\"{}\"", domain::hex::encode(&digest[..VERSION_BYTES]));
    let mut response = if is_known(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Response::new(Body::from(data))
    };
    let tag = HeaderValue::try_from(tag).expect("hexadecimal digits in quotes");
    response.headers_mut().insert(ETAG, tag);
    response
}

/// Evaluates `If-None-Match` (RFC 9110, 13.1.2).
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

fn media_type(name: &str) -> HeaderValue {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    HeaderValue::from_static(match ending {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    })
}
