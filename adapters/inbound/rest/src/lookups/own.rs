//! `/lookups`: files of the stored lookups of the user's account. GraphQL serves their other data.

use std::sync::Arc;

use axum::response::Response;
use domain::lookups::LookupId;
use domain::proofs::file::Format;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::Problem;

use super::file::rendered;
use crate::files::Encoding;
use crate::openapi::responses::{FaultyInput, NoSuchOwnFile, NoSuchThing, NotDelivered};
use crate::people::request::PersonRequest;
use crate::people::state::PeopleState;
use crate::proofs::schemas::{PdfFile, XmlFile, ZipFile};

pub(crate) fn routes() -> OpenApiRouter<Arc<PeopleState>> {
    OpenApiRouter::new()
        .routes(routes!(xml))
        .routes(routes!(pdf))
        .routes(routes!(zip))
}

/// The XML of a delivered lookup of yours
#[utoipa::path(
    get,
    path = "/lookups/{id}/xml",
    operation_id = "getOwnLookupXml",
    tag = "own lookups",
    params(("id" = String, Path, description = "The lookup.", format = "uuid")),
    responses(
        (status = 200, description = "The bank's file.", body = inline(XmlFile), content_type = "application/xml"),
        FaultyInput, NoSuchThing, NotDelivered,
    ),
)]
pub(crate) async fn xml(request: PersonRequest) -> Result<Response, Problem> {
    file(&request, Encoding::File(Format::Xml)).await
}

/// The PDF of a delivered lookup of yours
#[utoipa::path(
    get,
    path = "/lookups/{id}/pdf",
    operation_id = "getOwnLookupPdf",
    tag = "own lookups",
    params(("id" = String, Path, description = "The lookup.", format = "uuid")),
    responses(
        (status = 200, description = "The bank's file.", body = inline(PdfFile), content_type = "application/pdf"),
        FaultyInput, NoSuchOwnFile, NotDelivered,
    ),
)]
pub(crate) async fn pdf(request: PersonRequest) -> Result<Response, Problem> {
    file(&request, Encoding::File(Format::Pdf)).await
}

/// XML and PDF of a delivered lookup of yours, in a ZIP file
#[utoipa::path(
    get,
    path = "/lookups/{id}/zip",
    operation_id = "getOwnLookupZip",
    tag = "own lookups",
    params(("id" = String, Path, description = "The lookup.", format = "uuid")),
    responses(
        (status = 200, description = "Both files.", body = inline(ZipFile), content_type = "application/zip"),
        FaultyInput, NoSuchOwnFile, NotDelivered,
    ),
)]
pub(crate) async fn zip(request: PersonRequest) -> Result<Response, Problem> {
    file(&request, Encoding::Archive).await
}

async fn file(request: &PersonRequest, encoding: Encoding) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = LookupId(request.id()?);
    let found = request.lookups().find(&request.caller, id).await;
    let found = found.map_err(|error| request.lookup_problem(&error))?;
    rendered(found, encoding, &request.caller.request_id).await
}
