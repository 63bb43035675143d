//! Handler of `GET /v1/cep/batches`.

use application::BatchQuery;
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::Response;
use domain::batches::BatchState;
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;
use web::Problem;
use web::views::batches::Batch;

use super::BatchCall;
use crate::openapi::responses::FaultyInput;
use crate::people::input::{Input, Word};
use crate::people::listing::Paging;
use crate::people::listing::{BatchPage, Listing, read};

// Aliases without type arguments, since utoipa's derives would require schemas for the arguments.
type StateWord = Word<BatchState>;

/// Parameters of the request.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
struct Query {
    /// Batches in this state alone.
    #[param(inline)]
    state: Option<StateWord>,
}

/// Your batches, newest first
///
/// Those of your account, of the key's environment.
#[utoipa::path(
    get,
    path = "/v1/cep/batches",
    operation_id = "listBatches",
    tag = "batches",
    params(Query, Paging),
    responses(
        (status = 200, description = "One page.", body = BatchPage),
        FaultyInput,
    ),
)]
pub(super) async fn list(call: BatchCall, RawQuery(query): RawQuery) -> Result<Response, Problem> {
    let (query, page): (Query, _) = read(Input::of_query(query.as_deref()))?;
    let query = BatchQuery {
        environment: None,
        states: query.state.into_iter().map(|Word(state)| state).collect(),
        key: None,
        page,
    };
    let listed = call.batches.list(&call.access, &query).await;
    let mut listed = listed.map_err(|error| call.problem(&error))?;
    let page = std::mem::replace(
        &mut listed.found,
        domain::page::Page::of(Vec::new(), query.page.first, None),
    );
    let listing = Listing::of(page, |batch| Batch::from(&batch));
    call.answer(StatusCode::OK, &listed, &listing)
}
