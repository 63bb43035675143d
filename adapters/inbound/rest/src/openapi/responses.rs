//! Named responses that several operations share, and their headers.

use std::collections::BTreeMap;

use utoipa::IntoResponses;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response};

use super::examples;
use super::headers::add_header;

/// A response that several operations share.
pub(super) struct NamedResponse {
    pub(super) name: &'static str,
    pub(super) status: &'static str,
    headers: &'static [&'static str],
    description: &'static str,
}

/// Declares named responses, each as a type that operations refer to and as an entry of [`ALL`].
macro_rules! responses {
    ($($name:ident = $status:literal, [$($header:literal),*], $description:literal;)+) => {
        $(
            #[doc = $description]
            #[allow(dead_code, reason = "shared errors are named in lists alone")]
            pub(crate) struct $name;

            impl IntoResponses for $name {
                fn responses() -> BTreeMap<String, RefOr<Response>> {
                    let reference = Ref::from_response_name(stringify!($name));
                    [($status.to_owned(), reference.into())].into()
                }
            }
        )+

        pub(super) const ALL: &[NamedResponse] = &[$(NamedResponse {
            name: stringify!($name),
            status: $status,
            headers: &[$($header),*],
            description: $description,
        }),+];
    };
}

responses! {
    BadRequest = "400", ["RateLimit", "RateLimit-Policy"],
        "`INVALID_REQUEST`: the body is faulty.";
    BadRequestAuto = "400", ["RateLimit", "RateLimit-Policy", "X-Inferred-Emisor", "X-Inferred-Receptor"],
        "`INVALID_REQUEST`: the body is faulty. `INFERENCE_FAILED`: a bank could not be \
             inferred; name it.";
    BadFile = "400", ["RateLimit", "RateLimit-Policy"],
        "`INVALID_REQUEST`: the file is no proof that can be checked (`details.file` says why), or a \
             parameter is faulty.";
    BadReceipt = "400", ["RateLimit", "RateLimit-Policy"],
        "`INVALID_REQUEST`: the file can't be read (`details.reason` is `unreadable_receipt`), or a parameter is faulty.";
    LargeReceipt = "413", ["RateLimit", "RateLimit-Policy"],
        "`PAYLOAD_TOO_LARGE`: over 8388608 bytes.";
    NoReceipt = "415", ["RateLimit", "RateLimit-Policy"],
        "`UNSUPPORTED_MEDIA_TYPE`: neither a text, a PDF, nor a PNG, JPEG or WebP picture, or the body has a \
             `Content-Encoding`.";
    NoRecognition = "501", ["RateLimit", "RateLimit-Policy"],
        "`NOT_IMPLEMENTED`: the gateway lacks the program that reads PDFs, or pictures. It isn't counted against the month.";
    InvalidApiKey = "401", ["WWW-Authenticate"],
        "`INVALID_API_KEY`: missing, invalid or revoked. It isn't counted.";
    QuotaExceeded = "402", ["RateLimit", "RateLimit-Policy"],
        "`QUOTA_EXCEEDED`: the month's quota is used up. It isn't counted.";
    NotFound = "404", ["RateLimit", "RateLimit-Policy", "X-Inferred-Emisor", "X-Inferred-Receptor"],
        "`NOT_FOUND`: no proof matches. `details.reason` says whether the payment is unknown \
             or its proof isn't issued (yet).";
    NoSuchLookup = "404", ["RateLimit", "RateLimit-Policy"],
        "`NOT_FOUND`: your account has no such lookup in the key's environment.";
    NoSuchBatch = "404", [],
        "`NOT_FOUND`: your account has no such batch in the key's environment.";
    FaultyTable = "400", [],
        "`INVALID_REQUEST`: a parameter, a form or a correction is faulty (`details.fields`), the table can't be read, or none of its \
             rows can be looked up (`details.rows`).";
    FaultyArchive = "400", [],
        "`INVALID_REQUEST`: the file is no ZIP, is cut off, or has more files than the bank's.";
    BatchConflict = "409", ["Retry-After"],
        "`CONFLICT`: the state of the batch, or the number of open ones, doesn't allow it \
             (`details.reason`). `IDEMPOTENCY_KEY_IN_PROGRESS`: the first request with the \
             `Idempotency-Key` is still running.";
    LargeTable = "413", [],
        "`PAYLOAD_TOO_LARGE`: a table over 16777216 bytes, or corrections over 1048576.";
    NoTable = "415", [],
        "`UNSUPPORTED_MEDIA_TYPE`: the body, or the file of a form, isn't declared as a table.";
    LargeArchive = "413", [],
        "`PAYLOAD_TOO_LARGE`: over 67108864 bytes.";
    NoBody = "415", [],
        "`UNSUPPORTED_MEDIA_TYPE`: sent under a session without `Content-Type: application/json`, which no \
             form of another site can send.";
    NoArchive = "415", [],
        "`UNSUPPORTED_MEDIA_TYPE`: neither `application/zip` nor `application/octet-stream`.";
    NoSuchFile = "404", ["RateLimit", "RateLimit-Policy"],
        "`NOT_FOUND`: your account has no such lookup in the key's environment, or the lookup keeps no \
             PDF (`details.reason`).";
    NoSuchOwnFile = "404", [],
        "`NOT_FOUND`: your account has no such lookup, or the lookup keeps no PDF (`details.reason`).";
    NotDelivered = "409", [],
        "`CONFLICT`: the lookup has no proof, or none yet (`details.reason` is `not_delivered`).";
    TooManyReads = "429", ["Retry-After"],
        "`RATE_LIMIT_EXCEEDED`: the key read lookups more than 600 times in a minute.";
    TooManyBatchRequests = "429", ["Retry-After"],
        "`RATE_LIMIT_EXCEEDED`: the key asked about batches more than 600 times in a minute, or the session \
             sent too many requests in a second.";
    KeyInProgress = "409", ["RateLimit", "RateLimit-Policy", "Retry-After"],
        "`IDEMPOTENCY_KEY_IN_PROGRESS`: the first request with the `Idempotency-Key` is still running. It \
             isn't counted.";
    KeyReused = "422", ["RateLimit", "RateLimit-Policy"],
        "`IDEMPOTENCY_KEY_REUSED`: the `Idempotency-Key` was used for another request. It isn't counted.";
    RequestTimeout = "408", ["RateLimit", "RateLimit-Policy"],
        "`REQUEST_TIMEOUT`: the body didn't arrive in time. The connection is closed.";
    PayloadTooLarge = "413", ["RateLimit", "RateLimit-Policy"],
        "`PAYLOAD_TOO_LARGE`: over 16384 bytes.";
    UnsupportedMediaType = "415", ["RateLimit", "RateLimit-Policy"],
        "`UNSUPPORTED_MEDIA_TYPE`: not `application/json` in UTF-8.";
    RateLimitExceeded = "429", ["RateLimit", "RateLimit-Policy", "Retry-After"],
        "`RATE_LIMIT_EXCEEDED`: the minute's limit is used up. It isn't counted.";
    TooManyCharged = "429", ["RateLimit", "RateLimit-Policy", "Retry-After"],
        "`RATE_LIMIT_EXCEEDED`: the minute's limit is used up, or the session sent too many requests in a second. It \
             isn't counted.";
    InternalError = "500", ["RateLimit", "RateLimit-Policy", "X-Inferred-Emisor", "X-Inferred-Receptor"],
        "`INTERNAL_ERROR`: a fault of the service.";
    BankProtocolError = "502", ["RateLimit", "RateLimit-Policy", "X-Inferred-Emisor", "X-Inferred-Receptor"],
        "`BANK_PROTOCOL_ERROR`: the bank's answer could not be understood.";
    Unavailable = "503", ["RateLimit", "RateLimit-Policy", "Retry-After", "X-Inferred-Emisor", "X-Inferred-Receptor"],
        "`BANK_UNAVAILABLE`, `BANK_THROTTLED`: the bank can't be asked. \
             `SERVICE_UNAVAILABLE`: the service can't count requests.";
    BankTimeout = "504", ["RateLimit", "RateLimit-Policy", "X-Inferred-Emisor", "X-Inferred-Receptor"],
        "`BANK_TIMEOUT`: the bank didn't answer in time.";
    NotReady = "503", [],
        "`SERVICE_UNAVAILABLE`: a component failed.";
    RouteNotFound = "404", [],
        "`ROUTE_NOT_FOUND`: on every path that isn't described here.";
    MethodNotAllowed = "405", ["Allow"],
        "`METHOD_NOT_ALLOWED`: on every described path, for other methods.";
    FaultyInput = "400", [],
        "`INVALID_REQUEST`: the body or a parameter is faulty; `details.fields` names each.";
    Unauthenticated = "401", ["WWW-Authenticate"],
        "`UNAUTHENTICATED`: there is no good session. `details.sign_in` says where to get one.";
    NoCredential = "401", ["WWW-Authenticate"],
        "`INVALID_API_KEY`: the key is invalid or revoked. `UNAUTHENTICATED`: there is neither a key nor a \
             good session. It isn't counted.";
    CrossSite = "403", [],
        "`FORBIDDEN`: a page of another site sent the request.";
    AdminsOnly = "403", [],
        "`FORBIDDEN`: only admins may, or a page of another site sent the request.";
    NoSuchThing = "404", [],
        "`NOT_FOUND`: nothing that you may see has the id.";
    SlowBody = "408", [],
        "`REQUEST_TIMEOUT`: the body didn't arrive in time. The connection is closed.";
    Conflict = "409", [],
        "`CONFLICT`: what is there already doesn't allow it; `details.reason` says what.";
    LargeFile = "413", ["RateLimit", "RateLimit-Policy"],
        "`PAYLOAD_TOO_LARGE`: over 1048576 bytes.";
    NoFile = "415", ["RateLimit", "RateLimit-Policy"],
        "`UNSUPPORTED_MEDIA_TYPE`: the body has a `Content-Encoding`. Its declared type is not asked for.";
    LargeBody = "413", [],
        "`PAYLOAD_TOO_LARGE`: over 16384 bytes.";
    NoJson = "415", [],
        "`UNSUPPORTED_MEDIA_TYPE`: not `application/json` in UTF-8.";
    TooManyNewKeys = "429", ["Retry-After"],
        "`RATE_LIMIT_EXCEEDED`: you created or rotated as many keys in an hour as you may.";
    TooManyRequests = "429", ["Retry-After"],
        "`RATE_LIMIT_EXCEEDED`: the session, or its account, sent too many requests in a second.";
    Fault = "500", [],
        "`INTERNAL_ERROR`: a fault of the service.";
    NotNow = "503", ["Retry-After"],
        "`SERVICE_UNAVAILABLE`: keys, sessions or what is stored can't be read now; or, for files and downloads, as \
             many are under way as may be at the same time.";
}

/// Errors that all proof endpoints share.
pub(super) const OF_PROOFS: [&str; 13] = [
    "KeyInProgress",
    "KeyReused",
    "InvalidApiKey",
    "QuotaExceeded",
    "NotFound",
    "RequestTimeout",
    "PayloadTooLarge",
    "UnsupportedMediaType",
    "RateLimitExceeded",
    "InternalError",
    "BankProtocolError",
    "Unavailable",
    "BankTimeout",
];

/// Errors of the check of a file, besides those that it declares. Errors of the bank occur only with
/// `portal=true`.
pub(super) const OF_CHECKS: [&str; 11] = [
    "KeyInProgress",
    "KeyReused",
    "NoCredential",
    "CrossSite",
    "QuotaExceeded",
    "RequestTimeout",
    "TooManyCharged",
    "InternalError",
    "BankProtocolError",
    "Unavailable",
    "BankTimeout",
];

/// Errors of the reading of a receipt, besides those that it declares.
pub(super) const OF_RECEIPTS: [&str; 9] = [
    "KeyInProgress",
    "KeyReused",
    "NoCredential",
    "CrossSite",
    "QuotaExceeded",
    "RequestTimeout",
    "TooManyCharged",
    "InternalError",
    "NotNow",
];

/// Errors of the creation of a lookup, besides those that it declares.
pub(super) const OF_LOOKUP_CREATION: [&str; 11] = [
    "KeyInProgress",
    "KeyReused",
    "NoCredential",
    "CrossSite",
    "QuotaExceeded",
    "RequestTimeout",
    "PayloadTooLarge",
    "UnsupportedMediaType",
    "TooManyCharged",
    "InternalError",
    "NotNow",
];

/// Errors that all reads of lookups share.
pub(super) const OF_LOOKUP_READS: [&str; 4] = ["InvalidApiKey", "TooManyReads", "Fault", "NotNow"];

/// Errors that all routes of batches share.
pub(super) const OF_BATCHES: [&str; 5] = [
    "NoCredential",
    "CrossSite",
    "TooManyBatchRequests",
    "Fault",
    "NotNow",
];

/// Errors that all routes that need a session share.
pub(super) const OF_SESSIONS: [&str; 5] = [
    "Unauthenticated",
    "CrossSite",
    "TooManyRequests",
    "Fault",
    "NotNow",
];

impl NamedResponse {
    /// The response component, with an example for each of its error codes.
    pub(super) fn describe(&self) -> Response {
        let content = ContentBuilder::new()
            .schema(Some(Ref::from_schema_name("Error")))
            .examples_from_iter(examples::of(self.name))
            .build();
        let mut response = ResponseBuilder::new()
            .description(self.description)
            .content("application/json", content)
            .build();
        for name in ["X-Request-Id"].iter().chain(self.headers) {
            add_header(&mut response, name);
        }
        response
    }
}
