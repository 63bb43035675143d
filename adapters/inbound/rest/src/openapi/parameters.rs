//! Request headers that several operations accept.

use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{Object, ObjectBuilder, Required, Type};

pub(super) fn request_id() -> Parameter {
    header_parameter(
        "X-Request-Id",
        "An id of your own for the request, 1 to 64 characters out of `[A-Za-z0-9._:-]`. The \
         answer repeats it; without it, with another shape, or with an API key in it, the answer carries a \
         new one.",
    )
}

pub(super) fn idempotency_key() -> Parameter {
    let mut parameter = header_parameter(
        "Idempotency-Key",
        "A name of your own for the request, 1 to 255 letters, digits, `-` and `_`, in quotes or \
         without. For 24 hours the same request with the same name gets the first answer again, with \
         `Idempotent-Replayed: true`, and isn't counted; at most 600 a minute. Names are those of an API \
         key (and its successors) and a path. After 401, 402, 429, 5xx, after a body that didn't arrive \
         (408), and while a proof isn't issued, it is a new request.",
    );
    let schema = ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some("^(\"[A-Za-z0-9_-]{1,255}\"|[A-Za-z0-9_-]{1,255})$"));
    parameter.schema = Some(schema.build().into());
    parameter
}

pub(super) fn accept_language() -> Parameter {
    header_parameter(
        "Accept-Language",
        "The language of messages: Spanish, or English when it is preferred.",
    )
}

fn header_parameter(name: &str, description: &str) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(Object::with_type(Type::String)))
        .build()
}
