//! Handler of `GET /v1/cep/lookups`.

use std::sync::Arc;

use application::LookupQuery;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use domain::batches::BatchId;
use domain::lookups::LookupState;
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;
use web::Problem;

use super::Reader;
use crate::RestState;
use crate::openapi::responses::FaultyInput;
use crate::people::input::{Id, Input, Instant, Text, Word};
use crate::people::listing::{Listing, LookupPage, Paging, read};

// Alias without type arguments, since utoipa's derives would require schemas for the arguments.
type StateWord = Word<LookupState>;

/// Parameters of the request.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
struct Query {
    /// Lookups in this state alone.
    #[param(inline)]
    state: Option<StateWord>,
    /// Lookups that were created at this instant or later.
    #[param(inline)]
    created_from: Option<Instant>,
    /// Rows of this batch alone.
    #[param(inline)]
    batch_id: Option<Id>,
}

/// Your lookups, newest first
///
/// Those of your account, of the key's environment, without their proofs.
#[utoipa::path(
    get,
    path = "/v1/cep/lookups",
    operation_id = "listLookups",
    tag = "lookups",
    params(Query, Paging),
    responses(
        (status = 200, description = "One page.", body = LookupPage),
        FaultyInput,
    ),
)]
pub(super) async fn list(
    State(state): State<Arc<RestState>>,
    reader: Reader,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let (query, page): (Query, _) = read(Input::of_query(query.as_deref()))?;
    let query = LookupQuery {
        states: query.state.into_iter().map(|Word(state)| state).collect(),
        created_from: query.created_from.map(|Text(instant)| instant),
        batch: query.batch_id.map(|Text(batch)| BatchId(batch)),
        page,
    };
    let listed = state.lookups.list(reader.access.clone(), query).await;
    let listed = listed.map_err(|error| reader.problem(&error))?;
    let listing = Listing::of(listed.found.clone(), |lookup| reader.body(&lookup));
    reader.answer(&listed, &listing)
}
