//! Answers and their headers.

use domain::outcome::Endpoint;
use serde_json::{Value, json};
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::{ContentBuilder, Header, ObjectBuilder, Ref, Response, Type};

use super::{examples, people};

/// The errors of a proof request, by status, and the name of each answer.
pub(super) const STATUSES: [(&str, &str); 12] = [
    ("400", "BadRequest"),
    ("401", "InvalidApiKey"),
    ("402", "QuotaExceeded"),
    ("404", "NotFound"),
    ("408", "RequestTimeout"),
    ("413", "PayloadTooLarge"),
    ("415", "UnsupportedMediaType"),
    ("429", "RateLimitExceeded"),
    ("500", "InternalError"),
    ("502", "BankProtocolError"),
    ("503", "Unavailable"),
    ("504", "BankTimeout"),
];

const LIMITS: [&str; 2] = ["RateLimit", "RateLimit-Policy"];

/// Every named header.
pub(super) fn headers() -> Vec<(&'static str, Header)> {
    let header = |description: &str, example: Value| {
        HeaderBuilder::new()
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
            .description(Some(description))
            .example(Some(example))
            .build()
    };
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
            "Content-Disposition",
            header(
                "The file's name.",
                json!("attachment; filename=\"CEP-20261120-MBAN01002611200001234567.xml\""),
            ),
        ),
        (
            "X-Inferred-Emisor",
            header("The issuing bank, when it was inferred.", json!("40012")),
        ),
        (
            "X-Inferred-Receptor",
            header("The receiving bank, when it was inferred.", json!("40002")),
        ),
    ]
}

pub(super) fn with_headers(mut response: ResponseBuilder, names: &[&str]) -> ResponseBuilder {
    for name in ["X-Request-Id"].iter().chain(names) {
        let reference = Ref::new(format!("#/components/headers/{name}"));
        response = response.header_ref(*name, reference);
    }
    response
}

/// The proof.
pub(super) fn success(endpoint: Endpoint) -> Response {
    let file = |media_type: &str| {
        let schema = ObjectBuilder::new()
            .schema_type(Type::String)
            .content_media_type(media_type);
        (
            media_type.to_owned(),
            ContentBuilder::new().schema(Some(schema)).build(),
        )
    };
    let envelope = |media_type, extension| {
        let content = ContentBuilder::new()
            .schema(Some(Ref::from_schema_name("Envelope")))
            .example(Some(examples::envelope(media_type, extension)))
            .build();
        ("application/json".to_owned(), content)
    };
    let (description, (media_type, content)) = match endpoint {
        Endpoint::XmlAuto | Endpoint::Xml => (
            "The sealed proof, the bank's bytes untouched.",
            file("application/xml"),
        ),
        Endpoint::PdfAuto | Endpoint::Pdf => (
            "The proof as the central bank lays it out.",
            file("application/pdf"),
        ),
        Endpoint::ZipAuto => (
            "Two files, `CEP-….xml` and `CEP-….pdf`.",
            file("application/zip"),
        ),
        Endpoint::Base64 => (
            "The PDF in an envelope.",
            envelope("application/pdf", "pdf"),
        ),
        Endpoint::XmlBase64 => (
            "The XML in an envelope.",
            envelope("application/xml", "xml"),
        ),
    };
    let own: &[&str] = match endpoint {
        Endpoint::XmlAuto | Endpoint::PdfAuto | Endpoint::ZipAuto => &[
            "Content-Disposition",
            "X-Inferred-Emisor",
            "X-Inferred-Receptor",
        ],
        Endpoint::Xml | Endpoint::Pdf => &["Content-Disposition"],
        Endpoint::Base64 | Endpoint::XmlBase64 => &[],
    };
    let response = ResponseBuilder::new()
        .description(description)
        .content(media_type, content);
    with_headers(with_headers(response, &LIMITS), own).build()
}

/// A JSON answer without limits.
pub(super) fn json(description: &str, schema: &str) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema)));
    let response = ResponseBuilder::new()
        .description(description)
        .content("application/json", content.build());
    with_headers(response, &[]).build()
}

/// Every named error answer, with an example body of each of its codes.
pub(super) fn errors() -> Vec<(&'static str, Response)> {
    let limited = |more: &[&'static str]| [&LIMITS, more].concat();
    let descriptions = [
        (
            "BadRequest",
            "`INVALID_REQUEST`: the body is faulty.",
            limited(&[]),
        ),
        (
            "BadRequestAuto",
            "`INVALID_REQUEST`: the body is faulty. `INFERENCE_FAILED`: a bank could not be \
             inferred; name it.",
            limited(&[]),
        ),
        (
            "InvalidApiKey",
            "`INVALID_API_KEY`: missing, invalid or revoked. It isn't counted.",
            vec!["WWW-Authenticate"],
        ),
        (
            "QuotaExceeded",
            "`QUOTA_EXCEEDED`: the month's quota is used up. It isn't counted.",
            limited(&[]),
        ),
        (
            "NotFound",
            "`NOT_FOUND`: no proof matches. `details.reason` says whether the payment is unknown \
             or its proof isn't issued (yet).",
            limited(&[]),
        ),
        (
            "RequestTimeout",
            "`REQUEST_TIMEOUT`: the body didn't arrive in time. The connection is closed.",
            limited(&[]),
        ),
        (
            "PayloadTooLarge",
            "`PAYLOAD_TOO_LARGE`: over 16384 bytes.",
            limited(&[]),
        ),
        (
            "UnsupportedMediaType",
            "`UNSUPPORTED_MEDIA_TYPE`: not `application/json` in UTF-8.",
            limited(&[]),
        ),
        (
            "RateLimitExceeded",
            "`RATE_LIMIT_EXCEEDED`: the minute's limit is used up. It isn't counted.",
            limited(&["Retry-After"]),
        ),
        (
            "InternalError",
            "`INTERNAL_ERROR`: a fault of the service.",
            limited(&[]),
        ),
        (
            "BankProtocolError",
            "`BANK_PROTOCOL_ERROR`: the bank's answer could not be understood.",
            limited(&[]),
        ),
        (
            "Unavailable",
            "`BANK_UNAVAILABLE`, `BANK_THROTTLED`: the bank can't be asked. \
             `SERVICE_UNAVAILABLE`: the service can't count requests.",
            limited(&["Retry-After"]),
        ),
        (
            "BankTimeout",
            "`BANK_TIMEOUT`: the bank didn't answer in time.",
            limited(&[]),
        ),
        (
            "NotReady",
            "`SERVICE_UNAVAILABLE`: a component failed.",
            vec![],
        ),
        (
            "RouteNotFound",
            "`ROUTE_NOT_FOUND`: on every path that isn't described here.",
            vec![],
        ),
        (
            "MethodNotAllowed",
            "`METHOD_NOT_ALLOWED`: on every described path, for other methods.",
            vec!["Allow"],
        ),
    ];
    descriptions
        .into_iter()
        .chain(people::answers::all())
        .map(|(name, description, headers)| {
            let content = ContentBuilder::new()
                .schema(Some(Ref::from_schema_name("Error")))
                .examples_from_iter(examples::of(name))
                .build();
            let response = ResponseBuilder::new()
                .description(description)
                .content("application/json", content);
            (name, with_headers(response, &headers).build())
        })
        .collect()
}
