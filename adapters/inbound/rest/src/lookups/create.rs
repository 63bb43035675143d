//! Handler of `POST /v1/cep/lookups`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;
use utoipa::ToSchema;
use web::views::lookups::metadata;

use super::views::LookupBody;
use crate::RestState;
use crate::charged_key::KeyParameter;
use crate::openapi::responses::BadRequestAuto;
use crate::pipeline;
use crate::proofs::schemas;

#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `super::body` reads")]
pub(crate) struct NewLookup {
    #[schema(schema_with = schemas::date)]
    fecha: String,
    /// Needed, unless `numero_referencia` stands in its place.
    #[schema(required = false, schema_with = schemas::tracking_key)]
    clave_rastreo: Option<String>,
    #[schema(required = false, schema_with = schemas::reference_number)]
    numero_referencia: Option<String>,
    #[schema(required = false, schema_with = schemas::given_account)]
    cuenta: Option<String>,
    #[schema(schema_with = schemas::amount)]
    monto: String,
    #[schema(required = false, schema_with = schemas::inferable_issuer)]
    emisor: Option<String>,
    #[schema(required = false, schema_with = schemas::inferable_receiver)]
    receptor: Option<String>,
    /// The files to keep. The XML is kept in any case.
    #[schema(required = false, min_items = 1, examples(json!(["xml", "pdf"])))]
    formats: Vec<FormatWord>,
    /// Seconds during which it is tried again; 0 makes one attempt.
    #[schema(required = false, minimum = 0, maximum = 259_200, default = 86_400)]
    retry_for: u64,
    /// At most 10 texts that come back with the lookup: names of 1 to 40 characters, values of at most
    /// 200. Encrypted like the question; still, write no secrets.
    #[schema(required = false, schema_with = metadata)]
    metadata: String,
}

/// Format of a file.
#[derive(ToSchema)]
#[schema(as = LookupFormat, rename_all = "snake_case")]
#[expect(dead_code, reason = "describes what `super::body` reads")]
enum FormatWord {
    Xml,
    Pdf,
}

/// Creates a lookup, which is carried to its end while nobody waits
///
/// It is counted once, now; its attempts are free. A transfer without a proof yet is looked up again
/// after 1, 2, 5, 10, 15 and 30 minutes, then hourly; one that the bank doesn't know likewise, as long as
/// its date is today or the banking day before. Of a reference number that several transfers have, the answer is the
/// state `ambiguous` with `candidates`: look up the one that is meant by its tracking key. A lookup that ends as `failed` is given back to the month.
#[utoipa::path(
    post,
    path = "/v1/cep/lookups",
    operation_id = "lookups",
    tag = "lookups",
    params(
        KeyParameter,
        (
            "Prefer" = Option<String>, Header,
            description = "`wait=N` (RFC 7240) waits up to N seconds, 25 at most, for the end.",
            example = "wait=10"
        ),
    ),
    request_body(content = NewLookup, description = crate::openapi::bodies::STRICT),
    responses(
        (status = 200, description = "It is final already.", body = LookupBody),
        (status = 202, description = "It goes on; `Location` says where to look.", body = LookupBody),
        BadRequestAuto,
    ),
)]
pub(super) async fn create(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer_creation(state, Endpoint::Lookups, request).await
}
