//! Security headers of pages and files, which allow scripts, styles and connections of this origin only.

use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

const CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'",
);

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");

/// Permissions policy. The page only needs to write to the clipboard, to copy a key; the rest is denied also
/// to an injected script.
const PERMISSIONS: HeaderValue = HeaderValue::from_static(
    "camera=(), clipboard-read=(), clipboard-write=(self), display-capture=(), geolocation=(), \
     microphone=(), payment=(), usb=()",
);

pub(crate) fn protect(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, CSP);
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(PERMISSIONS_POLICY, PERMISSIONS);
    protect_file(headers);
}

/// Adds the header that prevents other origins from loading a file.
pub(crate) fn protect_file(headers: &mut HeaderMap) {
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
}
