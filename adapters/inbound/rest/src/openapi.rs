//! The API's description (OpenAPI 3.1): every endpoint, header, answer and error.
//!
//! Example bodies of errors are made by the code that makes the real ones, so they can't drift.

use domain::outcome::Endpoint;
use utoipa::openapi::path::{
    HttpMethod, Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem,
    PathsBuilder,
};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::server::ServerBuilder;
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Components, ComponentsBuilder, ContentBuilder, InfoBuilder, Object, OpenApi, OpenApiBuilder,
    Ref, Required, Type,
};

mod examples;
mod people;
mod responses;
mod schemas;

/// The version of the interface.
const VERSION: &str = "1.0.0";

const DESCRIPTION: &str = "\
Looks up and downloads electronic payment proofs (CEP) of SPEI transfers.

Every path is also served under `/api`. Field names and error codes are fixed; the `message` of an \
error is Spanish, or English when `Accept-Language` prefers it. Every answer carries \
`X-Request-Id`, except where HTTP itself refuses the request: a malformed or oversized head. A \
request whose key is good counts against the key's minute and month; failures of the service or of \
the bank (5xx) are given back to the month.\n\n\
Other paths answer 404 `ROUTE_NOT_FOUND`, other methods 405 `METHOD_NOT_ALLOWED` with `Allow`; \
neither is counted.";

/// The description as JSON, the same text every time.
///
/// # Panics
/// Never: the document holds nothing that can't be JSON.
pub fn openapi_json() -> String {
    let mut text = document()
        .to_pretty_json()
        .expect("it has string keys only, and nothing in it can fail");
    text.push('\n');
    text
}

fn document() -> OpenApi {
    let server = |url, description| {
        let server = ServerBuilder::new().url(url);
        server.description(Some(description)).build()
    };
    let tag = |name, description| {
        let tag = TagBuilder::new().name(name);
        tag.description(Some(description)).build()
    };
    let mut paths = PathsBuilder::new();
    for endpoint in Endpoint::ALL {
        paths = paths.path(
            format!("/v1/cep/{}", endpoint.name()),
            PathItem::new(HttpMethod::Post, proof_operation(endpoint)),
        );
    }
    for (path, operation) in operations() {
        paths = paths.path(path, PathItem::new(HttpMethod::Get, operation));
    }
    for (path, method, operation) in people::operations() {
        paths = paths.path(path, PathItem::new(method, operation));
    }
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("CEP gateway")
                .version(VERSION)
                .description(Some(DESCRIPTION)),
        )
        .servers(Some([
            server("/", "At the root."),
            server("/api", "The same routes, under `/api`."),
        ]))
        .tags(Some([
            tag("proofs", "Proofs of transfers. They need an API key."),
            tag(
                "keys",
                "Your own keys. They need a session, and a gateway where people can sign in.",
            ),
            tag(
                "admin",
                "Everybody's keys, accounts, use and the audit log. They need an admin's session.",
            ),
            tag("operation", "For operators. They need no key."),
        ]))
        .paths(paths)
        .components(Some(components()))
        .build()
}

fn components() -> Components {
    let key = ApiKeyValue::with_description(
        "x-api-key",
        "The complete key, `cep_<live|test>_<8 characters>.<24 characters>`, in exactly one header. \
         `test` keys ask the sandbox bank, `live` keys the central bank's portal.",
    );
    let mut components = ComponentsBuilder::new()
        .security_scheme("x-api-key", SecurityScheme::ApiKey(ApiKey::Header(key)))
        .security_scheme(people::SESSION, people::session());
    for (name, schema) in schemas::all().into_iter().chain(people::schemas::all()) {
        components = components.schema(name, schema);
    }
    for (name, header) in responses::headers() {
        components = components.header(name, header);
    }
    for (name, response) in responses::errors() {
        components = components.response(name, response);
    }
    components.build()
}

fn proof_operation(endpoint: Endpoint) -> Operation {
    let infers = match endpoint {
        Endpoint::XmlAuto | Endpoint::PdfAuto | Endpoint::ZipAuto => true,
        Endpoint::Xml | Endpoint::Pdf | Endpoint::Base64 | Endpoint::XmlBase64 => false,
    };
    let summary = match endpoint {
        Endpoint::XmlAuto => "The proof as XML; missing banks are inferred",
        Endpoint::Xml => "The proof as XML",
        Endpoint::Pdf => "The proof as PDF",
        Endpoint::PdfAuto => "The proof as PDF; missing banks are inferred",
        Endpoint::ZipAuto => "The proof as XML and PDF in a ZIP; missing banks are inferred",
        Endpoint::Base64 => "The proof as PDF, in base64 within JSON",
        Endpoint::XmlBase64 => "The proof as XML, in base64 within JSON",
    };
    let (schema, bad_request) = if infers {
        ("ProofRequestAuto", "BadRequestAuto")
    } else {
        ("ProofRequest", "BadRequest")
    };
    let mut operation = OperationBuilder::new()
        .tag("proofs")
        .operation_id(Some(endpoint.name()))
        .summary(Some(summary))
        .security(SecurityRequirement::new("x-api-key", [""; 0]))
        .parameter(request_id())
        .parameter(accept_language())
        .request_body(Some(request_body(schema)))
        .response("200", responses::success(endpoint));
    for (status, name) in responses::STATUSES {
        let name = if status == "400" { bad_request } else { name };
        operation = operation.response(status, Ref::from_response_name(name));
    }
    operation.build()
}

fn request_body(schema: &str) -> RequestBody {
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(schema)))
        .example(Some(examples::request(schema)))
        .build();
    RequestBodyBuilder::new()
        .description(Some(
            "At most 16384 bytes of UTF-8, complete within 10 seconds. Unknown members are \
             ignored, repeated ones refused.",
        ))
        .content("application/json", content)
        .required(Some(Required::True))
        .build()
}

fn request_id() -> Parameter {
    header_parameter(
        "X-Request-Id",
        "An id of your own for the request, 1 to 64 characters out of `[A-Za-z0-9._:-]`. The \
         answer repeats it; without it, with another shape, or with an API key in it, the answer carries a \
         new one.",
    )
}

fn accept_language() -> Parameter {
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

fn operations() -> [(&'static str, Operation); 3] {
    let operation = |id: &str, summary: &str| {
        OperationBuilder::new()
            .tag("operation")
            .operation_id(Some(id))
            .summary(Some(summary))
            .parameter(request_id())
    };
    [
        (
            "/healthz",
            operation("healthz", "Whether the process is up")
                .response("200", responses::json("It is up.", "Health"))
                .build(),
        ),
        (
            "/readyz",
            operation(
                "readyz",
                "Whether nothing has failed that the service stands on",
            )
            .parameter(accept_language())
            .response(
                "200",
                responses::json("The service can serve.", "Readiness"),
            )
            .response("503", Ref::from_response_name("NotReady"))
            .response("500", Ref::from_response_name("InternalError"))
            .build(),
        ),
        (
            "/openapi.json",
            operation("openapi", "This description")
                .response("200", responses::json("OpenAPI 3.1.", "AnyObject"))
                .build(),
        ),
    ]
}

#[cfg(test)]
mod tests;
