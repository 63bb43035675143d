//! Handler of `GET /v1/cep/batches/{id}/banxico.zip`.

use std::sync::Arc;

use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::Response;
use domain::batches::bank_file::{BankFiles, MIN_LINES};
use web::Problem;

use super::zip_stream::ZipStream;
use super::{BatchCall, Named, with_standing};
use crate::openapi::responses::{BatchConflict, NoSuchBatch};
use crate::proofs::schemas::ZipFile;

/// The open rows of a batch, as files for the bank's own batch
///
/// Text files of 2 to 500 payments each, as the portal's page for many payments takes them. A person sends
/// them there, gets a link by e-mail, and brings the bank's ZIP file back: `POST …/import`. Rows that have no
/// proof are open, unless they were canceled.
#[utoipa::path(
    get,
    path = "/v1/cep/batches/{id}/banxico.zip",
    operation_id = "getBatchBankFiles",
    tag = "batches",
    params(("id" = String, Path, description = "The batch.", format = "uuid")),
    responses(
        (status = 200, description = "The files.", body = inline(ZipFile), content_type = "application/zip"),
        NoSuchBatch, BatchConflict,
    ),
)]
pub(super) async fn bank_files(call: BatchCall, Named(id): Named) -> Result<Response, Problem> {
    let (batches, access) = (Arc::clone(&call.batches), call.access.clone());
    let reading = async move { batches.bank_lines(&access, id).await };
    let read = call.low_priority.spawn(reading).await;
    let read = read.map_err(|error| call.unwritten(&error))?;
    let read = read.map_err(|error| call.problem(&error))?;
    let files = BankFiles::new(&read.found).map_err(|few| Problem::TooFewRows {
        rows: few.lines,
        least: MIN_LINES,
    })?;
    let mut zip = ZipStream::new();
    for (number, file) in (1..).zip(files) {
        let added = zip.add(&format!("banxico-{number:02}.txt"), file.as_bytes());
        added.map_err(|error| call.unwritten(&error))?;
    }
    let zip = zip.finish().map_err(|error| call.unwritten(&error))?;
    let mut response = Response::new(zip.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    let disposition = format!("attachment; filename=\"banxico-{id}.zip\"");
    if let Ok(disposition) = HeaderValue::try_from(disposition) {
        headers.insert(CONTENT_DISPOSITION, disposition);
    }
    Ok(with_standing(response, &read))
}
