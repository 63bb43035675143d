//! Handler of `GET /v1/cep/batches/{id}/results`.

use application::RowView;
use axum::body::Body;
use axum::extract::RawQuery;
use axum::http::header::{ACCEPT, CONTENT_DISPOSITION, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use bytes::Bytes;
use domain::batches::RowNumber;
use futures::{StreamExt as _, stream};
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;
use web::{Language, Problem};

use super::interrupted::{CutOff, Interrupted};
use super::results_workbook::ResultsWorkbook;
use super::views::RowBody;
use super::{BatchCall, BegunRows, Named, csv, sent_parts, split, with_standing};
use crate::openapi::responses::{FaultyInput, NoSuchBatch};
use crate::people::input::{Input, Word};
use crate::proofs::schemas::TableFile;

/// Media type of the workbook.
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// Maximum of the row number parameter, larger than any real row number.
const MAX_ROW: u32 = 1_000_000_000;

/// Format of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
enum Form {
    Csv,
    Ndjson,
    Xlsx,
}

// Alias without type arguments, since utoipa's derives would require schemas for the arguments.
type FormWord = Word<Form>;

/// Parameters of the request.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
struct Query {
    /// The number of a row: those after it are answered.
    #[serde(default)]
    #[validate(range(min = 0, max = MAX_ROW))]
    #[param(default = 0, minimum = 0)]
    after: u32,
    /// `csv`, `ndjson` or `xlsx`; without it, `Accept` says which.
    #[param(inline)]
    format: Option<FormWord>,
}

/// The rows of a batch, with what became of them
///
/// In the order of the table, as they are now; a download that was cut off goes on with `after`. As a workbook
/// (`format=xlsx`) with the table's own columns; as CSV for spreadsheets (`Accept: text/csv`), in whose cells no
/// formula begins; or as JSON lines (`application/x-ndjson`), each a `BatchRow` with its lookup.
#[utoipa::path(
    get,
    path = "/v1/cep/batches/{id}/results",
    operation_id = "getBatchResults",
    tag = "batches",
    params(Query, ("id" = String, Path, description = "The batch.", format = "uuid")),
    responses(
        (status = 200, description = "The rows.", content(
            (inline(TableFile) = "text/csv"), (RowBody = "application/x-ndjson"),
            (inline(TableFile) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"))),
        FaultyInput, NoSuchBatch,
    ),
)]
pub(super) async fn results(
    call: BatchCall,
    Named(id): Named,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let Query { after, format } = Input::of_query(query.as_deref()).only()?;
    let form = format.map_or_else(|| accepted(&call.headers), |Word(form)| form);
    let read = call
        .batches
        .download(&call.access, id, RowNumber(after))
        .await;
    let (standing, rows) = split(read.map_err(|error| call.problem(&error))?);
    let rows = call.begin(rows).await?;
    let header = (form == Form::Csv && after == 0).then(csv::header);
    let (media_type, extension) = match form {
        Form::Csv if header.is_some() => ("text/csv; charset=utf-8; header=present", "csv"),
        Form::Csv => ("text/csv; charset=utf-8; header=absent", "csv"),
        Form::Ndjson => ("application/x-ndjson", "ndjson"),
        Form::Xlsx => (XLSX, "xlsx"),
    };
    let body = match form {
        Form::Xlsx => workbook(rows, call)?,
        Form::Csv | Form::Ndjson => lines(header, rows, (form, call)),
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(VARY, HeaderValue::from_static("accept"));
    let disposition = format!("attachment; filename=\"resultados-{id}.{extension}\"");
    if let Ok(disposition) = HeaderValue::try_from(disposition) {
        headers.insert(CONTENT_DISPOSITION, disposition);
    }
    Ok(with_standing(response, &standing))
}

/// The first supported format in `Accept`; CSV when there is none.
fn accepted(headers: &HeaderMap) -> Form {
    let accept = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut named = accept
        .flat_map(|value| value.split(','))
        .filter_map(
            |named| match named.split(';').next().unwrap_or_default().trim() {
                "text/csv" => Some(Form::Csv),
                "application/x-ndjson" | "application/ndjson" | "application/json" => {
                    Some(Form::Ndjson)
                }
                XLSX => Some(Form::Xlsx),
                _ => None,
            },
        );
    named.next().unwrap_or(Form::Csv)
}

fn line(form: Form, row: &RowView, language: Language) -> String {
    match form {
        Form::Csv | Form::Xlsx => csv::line(row, language),
        Form::Ndjson => {
            let mut line = serde_json::to_string(&RowBody::new(row, language)).unwrap_or_default();
            line.push('\n');
            line
        }
    }
}

/// A streamed body of lines. Rows are read as the client receives them.
fn lines(header: Option<String>, rows: BegunRows, (form, call): (Form, BatchCall)) -> Body {
    let (language, context) = (call.context.language, call.context.clone());
    let runtime = call.low_priority.clone();
    let header = stream::iter(header.map(|header| Ok(Bytes::from(header))));
    let lines = stream::try_unfold((rows, call), move |(mut rows, call)| async move {
        let Some(ready) = rows.next().await.map_err(CutOff)? else {
            return Ok(None);
        };
        let lines: String = ready.iter().map(|row| line(form, row, language)).collect();
        Ok::<_, CutOff>(Some((Bytes::from(lines), (rows, call))))
    });
    let lines = header.chain(lines);
    sent_parts::body(lines, context, &runtime)
}

/// A streamed body of a workbook. Rows are read as the client receives them.
fn workbook(rows: BegunRows, call: BatchCall) -> Result<Body, Problem> {
    let (context, runtime) = (call.context.clone(), call.low_priority.clone());
    let workbook = ResultsWorkbook::new(rows.columns(), call.workbook_options());
    let workbook = workbook.map_err(|error| call.unwritten(&error))?;
    let parts = stream::try_unfold(Some((rows, workbook, call)), |state| async move {
        let Some((mut rows, mut workbook, call)) = state else {
            return Ok(None);
        };
        let Some(ready) = rows.next().await.map_err(CutOff)? else {
            return Ok(Some((workbook.finish()?, None)));
        };
        for row in &ready {
            workbook.add(row)?;
        }
        Ok::<_, Interrupted>(Some((workbook.take(), Some((rows, workbook, call)))))
    });
    Ok(sent_parts::body(parts, context, &runtime))
}
