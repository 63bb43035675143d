//! Handler of `POST /v1/cep/batches`.

use std::sync::Arc;

use application::{CreatedBatch, RepeatableBatch, Uploader};
use axum::extract::{Extension, RawQuery, State};
use axum::http::header::{LOCATION, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use domain::keys::KeyId;
use web::views::batches::Batch;
use web::{BatchPaths, Problem};

use super::BatchCall;
use super::draft::{self, Options, Query, ReadTable};
use super::form::SentTable;
use super::uploads::{Uploaded, Uploads};
use super::views::{CreatedBody, PreviewBody};
use crate::RestState;
use crate::charged_key::KeyParameter;
use crate::headers::{idempotency_key, put_replayed};
use crate::openapi::examples;
use crate::openapi::responses::{
    BatchConflict, FaultyTable, KeyReused, LargeTable, NoTable, SlowBody,
};
use crate::proofs::schemas::{TableFile, TableForm};

/// Creates a batch: looks up each row of a table
///
/// A table with a header and a row for each payment: a workbook (XLSX, XLSM, XLS, ODS; of several sheets the first
/// whose header fits, or `sheet`); CSV with `,`, `;` or tabs between the values, in UTF-8, UTF-16 or Windows-1252,
/// dates as `2026-11-20`, `20/11/2026` or `20-nov-26`, amounts as `1234.56`, `1,234.56` or `$1,234.56`; or a JSON object in each line. Columns are found by their headers (`fecha`, `clave_rastreo`,
/// `cuenta`, `monto`, `emisor`, `receptor`, and their usual names), or named by `columns`. An `id` column
/// comes back with the results.
///
/// The table is the body, or the part `file` of a form (`multipart/form-data`), which may have `corrections` too: new
/// values for cells, a JSON array.
///
/// Faulty rows and rows that ask the same as an earlier one are listed, and the others looked up, behind
/// everybody who waits for an answer. A row is counted when its lookup is made, some rows ahead of its turn at
/// the bank: the minute's limit makes rows wait, and a used-up month pauses the batch until there is quota. With `dry_run=true` nothing is
/// created or counted.
#[utoipa::path(
    post,
    path = "/v1/cep/batches",
    operation_id = "createBatch",
    tag = "batches",
    params(
        Query, KeyParameter,
    ),
    request_body(
        description = "The table.",
        content(
            (inline(TableFile) = "text/csv", example = json!(examples::TABLE)),
            (inline(TableFile) = "application/x-ndjson", example = json!(examples::JSON_LINES)),
            (inline(TableFile) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            (inline(TableFile) = "application/vnd.ms-excel.sheet.macroenabled.12"),
            (inline(TableFile) = "application/vnd.ms-excel"),
            (inline(TableFile) = "application/vnd.oasis.opendocument.spreadsheet"),
            (TableForm = "multipart/form-data"),
        ),
    ),
    responses(
        (status = 200, description = "With `dry_run`: the check.", body = PreviewBody),
        (status = 202, description = "It goes on; `Location` says where to look.", body = CreatedBody),
        FaultyTable, SlowBody, BatchConflict, LargeTable, NoTable, KeyReused,
    ),
)]
pub(super) async fn create(
    Extension(uploads): Extension<Uploads>,
    State(state): State<Arc<RestState>>,
    call: BatchCall,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let parameters = KeyParameter::beside::<Query>(query.as_deref());
    // A caller who may not create one sends nothing in vain.
    let named = parameters.as_ref().ok().and_then(|(_, named)| *named);
    let uploader = call.batches.uploader(&call.access, named).await;
    let uploader = uploader.map_err(|error| call.problem(&error))?;
    let charged = uploader.key();
    let answered = answer((&state, &call, &uploads), parameters, query, uploader);
    let mut response = answered.await.into_response();
    if let Some(key) = charged {
        web::log_key(&mut response, key);
    }
    Ok(response)
}

async fn answer(
    (state, call, uploads): (&Arc<RestState>, &BatchCall, &Uploads),
    parameters: Result<(Query, Option<KeyId>), Problem>,
    query: Option<String>,
    uploader: Uploader,
) -> Result<Response, Problem> {
    let options = Options::of(parameters?, call)?;
    let key = idempotency_key(&call.headers)?;
    let Uploaded { file, mut work } = uploads.table(call, &uploader).await?;
    let table = SentTable::of((state, call), file).await?;
    uploads.begin(&mut work, &table.file, call).await?;
    let own_accounts = call.batches.own_accounts(&uploader).await;
    let own_accounts = own_accounts.map_err(|error| call.problem(&error))?;
    let dry_run = options.dry_run;
    let repeatable = key.filter(|_| !dry_run).map(|key| RepeatableBatch {
        key,
        content: content(query.as_deref(), &table),
    });
    let ReadTable { draft, found } =
        draft::read((state, call), (options, own_accounts), table).await?;
    if dry_run {
        let previewed = call.batches.preview(&call.access, draft).await;
        let previewed = previewed.map_err(|error| call.problem(&error))?;
        let body = PreviewBody::new(&previewed.found, &found, call.context.language);
        return call.answer(StatusCode::OK, &previewed, &body);
    }
    let created = call.batches.create(&call.access, draft, repeatable).await;
    drop(work);
    let CreatedBatch { batch, repeated } = created.map_err(|error| call.problem(&error))?;
    let view = batch.found.as_ref().ok_or(Problem::FirstErased)?;
    let body = CreatedBody::new(Batch::from(view), &found, call.context.language);
    let mut response = call.answer(StatusCode::ACCEPTED, &batch, &body)?;
    let headers = response.headers_mut();
    let location = HeaderValue::try_from(BatchPaths::of(view.id).batch);
    headers.insert(LOCATION, location.map_err(|error| call.unwritten(&error))?);
    headers.insert(RETRY_AFTER, HeaderValue::from_static("2"));
    if repeated {
        put_replayed(headers);
    }
    Ok(response)
}

/// Method, path, parameters, corrections and file, which identify a repeated request, whether or not it is a form.
fn content(query: Option<&str>, table: &SentTable) -> Vec<u8> {
    let query = query.unwrap_or_default();
    let corrections = table.corrections.as_deref();
    let head = match corrections {
        // The length separates the corrections from the file.
        Some(corrections) => format!("POST {}\nbatches?{query}\n", corrections.len()),
        None => format!("POST\nbatches?{query}\n"),
    };
    let mut content = head.into_bytes();
    content.extend_from_slice(corrections.unwrap_or_default());
    content.extend_from_slice(&table.file);
    content
}
