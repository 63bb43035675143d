//! Headers of responses that several operations share.

use serde_json::{Value, json};
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::{Header, ObjectBuilder, Ref, RefOr, Response, Type};

/// Headers of every response to a request with a valid key.
pub(super) const LIMITS: [&str; 2] = ["RateLimit", "RateLimit-Policy"];

/// All header components, by name.
pub(super) fn all() -> Vec<(&'static str, Header)> {
    let mut headers = general_headers();
    headers.extend(proof_headers());
    headers
}

fn header(description: &str, example: Value) -> Header {
    HeaderBuilder::new()
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .description(Some(description))
        .example(Some(example))
        .build()
}

fn general_headers() -> Vec<(&'static str, Header)> {
    vec![
        (
            "X-Request-Id",
            header(
                "The request's id, yours if you gave a sane one.",
                json!("019aa0b2-7d3e-7c55-8d3f-4be0a3f6c2d1"),
            ),
        ),
        (
            "RateLimit",
            header(
                "What is left (`r`) and the seconds until the next unit returns (`t`); \
                 draft-ietf-httpapi-ratelimit-headers-11. There is no `\"month\"` without a cap.",
                json!("\"minute\";r=59;t=60, \"month\";r=997;t=864000"),
            ),
        ),
        (
            "Location",
            header(
                "Path of the lookup or batch.",
                json!("/v1/cep/lookups/019aa0b2-7d3e-7c55-8d3f-4be0a3f6c2d1"),
            ),
        ),
        (
            "Idempotent-Replayed",
            header(
                "`true` if the answer is that to an earlier request with the same `Idempotency-Key`.",
                json!("true"),
            ),
        ),
        (
            "Preference-Applied",
            header(
                "The preference of `Prefer` that was applied (RFC 7240), if there was one.",
                json!("wait=10"),
            ),
        ),
        (
            "RateLimit-Policy",
            header(
                "The key's limits (`q`) and their windows in seconds (`w`). The month is the UTC \
                 calendar month.",
                json!("\"minute\";q=60;w=60, \"month\";q=1000;w=2592000"),
            ),
        ),
        ("Retry-After", header("Seconds to wait.", json!("17"))),
        ("Allow", header("The methods of the path.", json!("POST"))),
        (
            "WWW-Authenticate",
            header(
                "The scheme of the credential.",
                json!("ApiKey realm=\"cep\""),
            ),
        ),
        (
            "ETag",
            header("The answer's version.", json!("\"5c1f0c2b7f1d4a90\"")),
        ),
        (
            "Cache-Control",
            header(
                "Time for which the answer may be kept.",
                json!("public, max-age=3600"),
            ),
        ),
    ]
}

/// Headers of responses with a proof, or about a lookup.
fn proof_headers() -> Vec<(&'static str, Header)> {
    vec![
        (
            "Content-Disposition",
            header(
                "The file's name.",
                json!("attachment; filename=\"CEP-20261120-MBAN01002611200001234567.xml\""),
            ),
        ),
        (
            "X-Seal",
            header(
                "The check of the proof's seal: `valid`, `invalid` or `not_checked`. On every proof that \
                 is delivered; one whose seal is `invalid` is delivered all the same, as the bank's bytes. Of \
                 `verify` it is `resultado`, of a ZIP the gravest of all files.",
                json!("valid"),
            ),
        ),
        (
            "X-Origin",
            header(
                "How a stored proof came here: `fetched` from the bank, or `imported` in a file that somebody brought.",
                json!("fetched"),
            ),
        ),
        (
            "X-Inferred-Emisor",
            header(
                "The issuing bank, on every answer of an `_auto` endpoint that inferred it.",
                json!("40012"),
            ),
        ),
        (
            "X-Inferred-Receptor",
            header(
                "The receiving bank, on every answer of an `_auto` endpoint that inferred it.",
                json!("40002"),
            ),
        ),
    ]
}

/// Adds a reference to a header component to a response.
pub(super) fn add_header(response: &mut Response, name: &str) {
    let reference = Ref::new(format!("#/components/headers/{name}"));
    let header = RefOr::Ref(reference);
    response.headers.insert(name.to_owned(), header);
}
