//! Handlers of `GET /v1/cep/lookups/{id}/xml`, `/pdf` and `/zip`.

use std::sync::Arc;
use std::time::Duration;

use application::{Files, LookupView};
use axum::extract::State;
use axum::response::Response;
use domain::proofs::file::Format;
use domain::query::ExpectedBeneficiary;
use domain::request::RequestId;
use web::{Language, Problem};

use super::{Named, Reader};
use crate::files::{self, Encoding};
use crate::openapi::responses::{NoSuchFile, NoSuchLookup, NotDelivered};
use crate::proofs::schemas::{PdfFile, XmlFile, ZipFile};
use crate::{RestState, headers};

/// The XML of a delivered lookup
#[utoipa::path(
    get,
    path = "/v1/cep/lookups/{id}/xml",
    operation_id = "getLookupXml",
    tag = "lookups",
    params(("id" = String, Path, description = "The lookup.", format = "uuid")),
    responses(
        (status = 200, description = "The bank's file.", body = inline(XmlFile), content_type = "application/xml"),
        NoSuchLookup, NotDelivered,
    ),
)]
pub(super) async fn xml(
    State(state): State<Arc<RestState>>,
    reader: Reader,
    named: Named,
) -> Result<Response, Problem> {
    file(&state, &reader, named, Encoding::File(Format::Xml)).await
}

/// The PDF of a delivered lookup
#[utoipa::path(
    get,
    path = "/v1/cep/lookups/{id}/pdf",
    operation_id = "getLookupPdf",
    tag = "lookups",
    params(("id" = String, Path, description = "The lookup.", format = "uuid")),
    responses(
        (status = 200, description = "The bank's file.", body = inline(PdfFile), content_type = "application/pdf"),
        NoSuchFile, NotDelivered,
    ),
)]
pub(super) async fn pdf(
    State(state): State<Arc<RestState>>,
    reader: Reader,
    named: Named,
) -> Result<Response, Problem> {
    file(&state, &reader, named, Encoding::File(Format::Pdf)).await
}

/// XML and PDF of a delivered lookup, in a ZIP file
#[utoipa::path(
    get,
    path = "/v1/cep/lookups/{id}/zip",
    operation_id = "getLookupZip",
    tag = "lookups",
    params(("id" = String, Path, description = "The lookup.", format = "uuid")),
    responses(
        (status = 200, description = "Both files.", body = inline(ZipFile), content_type = "application/zip"),
        NoSuchFile, NotDelivered,
    ),
)]
pub(super) async fn zip(
    State(state): State<Arc<RestState>>,
    reader: Reader,
    named: Named,
) -> Result<Response, Problem> {
    file(&state, &reader, named, Encoding::Archive).await
}

async fn file(
    state: &RestState,
    reader: &Reader,
    Named(id): Named,
    encoding: Encoding,
) -> Result<Response, Problem> {
    let lookups = &state.lookups;
    let read = lookups
        .find(reader.access.clone(), id, Duration::ZERO)
        .await;
    let read = read.map_err(|error| reader.problem(&error))?;
    let (key, limit_status) = ((read.key, read.environment), read.limit_status);
    let mut response = rendered(read.found, encoding, &reader.context.request_id).await?;
    headers::put_standing(response.headers_mut(), &limit_status);
    web::log_key(&mut response, key);
    Ok(response)
}

/// The response with a file of a lookup, if that file is stored.
pub(crate) async fn rendered(
    lookup: LookupView,
    encoding: Encoding,
    request_id: &RequestId,
) -> Result<Response, Problem> {
    let delivery = lookup.delivery.ok_or(Problem::LookupNotDelivered)?;
    let needs_pdf = !matches!(encoding, Encoding::File(Format::Xml));
    if needs_pdf && matches!(delivery.files, Files::Xml(_)) {
        return Err(Problem::FileNotKept);
    }
    // Files contain no messages, so beneficiary and language don't matter.
    let told = (&ExpectedBeneficiary::default(), Language::Spanish);
    let origin = delivery.origin;
    let rendered = files::render(encoding, delivery, told).await;
    let mut response = rendered.map_err(|error| {
        tracing::error!(%request_id, %error, "a file of a lookup can't be handed out");
        Problem::internal(request_id)
    })?;
    headers::put_origin(response.headers_mut(), origin);
    Ok(response)
}
