//! `GET /v1/cep/batches/{id}/banxico.zip`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::Response;
use domain::batch::RowNumber;
use domain::batch::bank_file::{BankFiles, BankLine, MIN_LINES};
use domain::inference::{self, Resolution};
use ports::inbound::{RowOutcome, RowView};
use web::Problem;

use super::zip_stream::ZipStream;
use super::{BatchCall, Named, with_standing};
use crate::RestState;
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
pub(super) async fn bank_files(
    State(state): State<Arc<RestState>>,
    call: BatchCall,
    Named(id): Named,
) -> Result<Response, Problem> {
    let read = call.batches.rows(&call.access, id, RowNumber(0)).await;
    let mut read = read.map_err(|error| call.problem(&error))?;
    let mut lines = Vec::new();
    while let Some(rows) = read
        .found
        .next()
        .await
        .map_err(|error| call.problem(&error))?
    {
        let catalogue = state.participants.catalogue();
        for row in rows.iter().filter(|row| is_open(row)) {
            let Some(query) = row.query.clone() else {
                continue;
            };
            let Resolution { transfer, .. } = inference::resolve(query, &catalogue);
            // A tracking key with a comma can't stand in the bank's file.
            lines.extend(transfer.ok().and_then(|it| BankLine::of_transfer(&it).ok()));
        }
    }
    let files = BankFiles::new(&lines).map_err(|few| Problem::TooFewRows {
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

/// Returns true for a row that has no proof, and may get one.
fn is_open(row: &RowView) -> bool {
    use domain::lookup::LookupState::{Canceled, Delivered};
    match &row.outcome {
        RowOutcome::NotBegun => true,
        RowOutcome::Lookup(lookup) => !matches!(lookup.state, Canceled | Delivered),
        RowOutcome::Faulty(_) | RowOutcome::Unresolved(_) | RowOutcome::Duplicate { .. } => false,
    }
}
