//! `/v1/cep/batches`: tables of payments, with one lookup for each row.

use std::sync::Arc;

use application::{
    BatchAccess, BatchError, BatchRead, BatchRows, BatchService, Caller, LookupAccess, RowView,
};
use axum::extract::{Extension, FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::batches::BatchId;
use domain::batches::sheet::OwnColumn;
use serde::Serialize;
use tokio::runtime::Handle;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{CallerAddress, Chain, Incoming, Problem, RequestContext};

use crate::{RestState, caller, headers};

mod bank;
mod cancel;
mod corrections;
mod create;
mod csv;
mod draft;
mod erase;
mod files;
mod find;
mod form;
mod found_table;
mod import;
mod interrupted;
mod list;
mod problems;
mod result_row;
mod results;
mod results_workbook;
mod sent_parts;
mod table;
mod uploads;
mod views;
mod xlsx_stream;
mod zip_stream;

pub(crate) use found_table::FoundTable;
pub(crate) use import::ImportBody;
use results_workbook::WorkbookOptions;
pub(crate) use uploads::{MAX_ARCHIVE_BYTES, MAX_TABLE_BYTES, Uploads};
pub(crate) use views::{PreviewBody, RowBody};

/// The routes of batches, which accept an API key or a session.
pub(crate) fn routes() -> OpenApiRouter<Arc<RestState>> {
    OpenApiRouter::new()
        .routes(routes!(create::create, list::list))
        .routes(routes!(find::find, erase::erase))
        .routes(routes!(cancel::cancel))
        .routes(routes!(results::results))
        .routes(routes!(files::files))
        .routes(routes!(bank::bank_files))
        .routes(routes!(import::import))
}

/// Extractor: the caller and context of a request about batches.
pub(crate) struct BatchCall {
    context: RequestContext,
    access: BatchAccess,
    batches: Arc<BatchService>,
    headers: HeaderMap,
    incoming: Incoming,
    /// Runtime on which downloads are generated.
    low_priority: Handle,
    /// Address of the dashboard; `None` on a gateway without one.
    dashboard: Option<String>,
}

impl FromRequestParts<Arc<RestState>> for BatchCall {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &Arc<RestState>,
    ) -> Result<Self, Problem> {
        let context = parts.extensions.get::<RequestContext>().cloned();
        let context = context.expect("each route is observed, which adds the context");
        let incoming = Extension::<Incoming>::from_request_parts(parts, state).await;
        let Extension(incoming) = incoming.map_err(|_| Problem::internal(&context.request_id))?;
        // The guard adds a `Caller` only to requests with a session.
        let person = parts.extensions.get::<Caller>().cloned();
        let (access, batches) = match person.zip(state.people.as_ref()) {
            Some((caller, people)) => (BatchAccess::Person(caller), &people.batches),
            None => (key_access(parts, &context), &state.batches),
        };
        Ok(Self {
            context,
            access,
            batches: Arc::clone(batches),
            headers: parts.headers.clone(),
            incoming,
            low_priority: state.low_priority.clone(),
            dashboard: state
                .people
                .as_ref()
                .map(|people| format!("{}/dashboard", people.guard.site.public())),
        })
    }
}

fn key_access(parts: &Parts, context: &RequestContext) -> BatchAccess {
    let address = parts.extensions.get::<CallerAddress>().copied();
    BatchAccess::Key(LookupAccess {
        presented_key: caller::presented_key(&parts.headers).map(str::to_owned),
        address: CallerAddress::known(address),
        request_id: context.request_id.clone(),
    })
}

impl BatchCall {
    fn is_person(&self) -> bool {
        matches!(self.access, BatchAccess::Person(_))
    }

    /// Reads the first rows of a download.
    async fn begin(&self, rows: BatchRows) -> Result<BegunRows, Problem> {
        let begun = self.low_priority.spawn(BegunRows::of(rows)).await;
        let begun = begun.map_err(|error| self.unwritten(&error))?;
        begun.map_err(|error| self.problem(&error))
    }

    fn workbook_options(&self) -> WorkbookOptions {
        (self.context.language, self.dashboard.clone())
    }

    fn problem(&self, error: &BatchError) -> Problem {
        problems::of_batch(error, &self.context.request_id)
    }

    /// A JSON response with the key's limits in its headers.
    fn answer<T>(
        &self,
        status: StatusCode,
        read: &BatchRead<T>,
        view: &impl Serialize,
    ) -> Result<Response, Problem> {
        let json = serde_json::to_string(view).map_err(|error| self.unwritten(&error))?;
        let mut response = web::json_response(json);
        *response.status_mut() = status;
        Ok(with_standing(response, read))
    }

    fn unwritten(&self, error: &(dyn std::error::Error + 'static)) -> Problem {
        let request_id = &self.context.request_id;
        tracing::error!(%request_id, error = %Chain(error), "an answer about a batch can't be written");
        Problem::internal(request_id)
    }
}

/// Logs a failure that occurs after the response headers were sent.
fn cut_off(context: &RequestContext, error: &(dyn std::error::Error + 'static)) {
    let request_id = &context.request_id;
    tracing::error!(%request_id, error = %Chain(error), "an answer about a batch was cut off");
}

/// Rows of a batch. The first ones are read before the response begins, so that a failure can still become
/// an error response.
struct BegunRows {
    first: Option<Vec<RowView>>,
    rest: BatchRows,
}

impl BegunRows {
    async fn of(mut rows: BatchRows) -> Result<Self, BatchError> {
        let first = rows.next().await?;
        Ok(Self { first, rest: rows })
    }

    fn columns(&self) -> &[OwnColumn] {
        self.rest.columns()
    }

    /// The next rows; `None` at the end.
    async fn next(&mut self) -> Result<Option<Vec<RowView>>, BatchError> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.rest.next().await,
        }
    }
}

/// Separates a result from the key's limit status.
fn split<T>(read: BatchRead<T>) -> (BatchRead<()>, T) {
    let standing = BatchRead {
        found: (),
        key: read.key,
        limit_status: read.limit_status,
    };
    (standing, read.found)
}

/// Adds the key's limits to a response's headers, and the key to the request's log line.
fn with_standing<T>(mut response: Response, read: &BatchRead<T>) -> Response {
    if let Some(limit_status) = &read.limit_status {
        headers::put_standing(response.headers_mut(), limit_status);
    }
    if let Some(key) = read.key {
        web::log_key(&mut response, key);
    }
    response
}

/// Extractor: the batch id in the path.
pub(crate) struct Named(BatchId);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let named = Path::<String>::from_request_parts(parts, state).await;
        let id = named.ok().and_then(|Path(id)| BatchId::parse(&id));
        // A malformed id is treated like an unknown one.
        id.map(Self).ok_or(Problem::NoSuchBatch)
    }
}
