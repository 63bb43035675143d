//! The named error answers of people's routes.

/// Every name, what it says, and the headers that it carries besides `X-Request-Id`.
pub(in crate::openapi) fn all() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    vec![
        (
            "FaultyInput",
            "`INVALID_REQUEST`: the body or a parameter is faulty; `details.fields` names each.",
            vec![],
        ),
        (
            "Unauthenticated",
            "`UNAUTHENTICATED`: there is no good session. `details.sign_in` says where to get one.",
            vec!["WWW-Authenticate"],
        ),
        (
            "CrossSite",
            "`FORBIDDEN`: a page of another site sent the request.",
            vec![],
        ),
        (
            "AdminsOnly",
            "`FORBIDDEN`: only admins may, or a page of another site sent the request.",
            vec![],
        ),
        (
            "NoSuchThing",
            "`NOT_FOUND`: nothing that you may see has the id.",
            vec![],
        ),
        (
            "SlowBody",
            "`REQUEST_TIMEOUT`: the body didn't arrive in time. The connection is closed.",
            vec![],
        ),
        (
            "Conflict",
            "`CONFLICT`: what is there already doesn't allow it; `details.reason` says what.",
            vec![],
        ),
        (
            "LargeBody",
            "`PAYLOAD_TOO_LARGE`: over 16384 bytes.",
            vec![],
        ),
        (
            "NoJson",
            "`UNSUPPORTED_MEDIA_TYPE`: not `application/json` in UTF-8.",
            vec![],
        ),
        ("Fault", "`INTERNAL_ERROR`: a fault of the service.", vec![]),
        (
            "NotNow",
            "`SERVICE_UNAVAILABLE`: keys or sessions can't be read now.",
            vec!["Retry-After"],
        ),
    ]
}
