//! Handler of `GET /v1/participants`.

use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Extension, RawQuery, State};
use axum::http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use chrono::NaiveDate;
use domain::calendar;
use domain::query::{Field, FieldErrorKind};
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;
use web::{Problem, RequestContext, json_response};

use super::views::ParticipantList;
use crate::RestState;
use crate::openapi::responses::{Fault, FaultyInput};
use crate::people::input::Input;

/// `Cache-Control`: one hour, since the catalogue changes at most once a day.
const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=3600");

/// Parameters of the request.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
struct Query {
    /// The day, `YYYY-MM-DD`, not before 2004-01-01 and not in the future; today in Mexico City when
    /// it is absent.
    #[param(format = "date", example = "2026-11-20")]
    fecha: Option<String>,
}

/// The participants of SPEI, whose codes `emisor` and `receptor` take
#[utoipa::path(
    get,
    path = "/v1/participants",
    operation_id = "listParticipants",
    tag = "participants",
    params(
        Query,
        (
            "If-None-Match" = Option<String>, Header,
            description = "The `ETag` of an earlier answer."
        ),
    ),
    responses(
        (
            status = 200,
            description = "Those of the day.",
            body = ParticipantList,
        ),
        (
            status = 304,
            description = "They are those of the earlier answer.",
        ),
        FaultyInput, Fault,
    ),
)]
pub(super) async fn list(
    State(state): State<Arc<RestState>>,
    Extension(call): Extension<RequestContext>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let today = calendar::today(state.request_layer.clock.now());
    let date = date(query.as_deref(), today)?;
    let list = ParticipantList::new(&state.participants.catalogue(), date);
    let body = serde_json::to_vec(&list).map_err(|error| {
        tracing::error!(request_id = %call.request_id, %error, "participants can't be written");
        Problem::internal(&call.request_id)
    })?;
    let tag = entity_tag(&body);
    let mut response = if is_known(&headers, &tag) {
        (StatusCode::NOT_MODIFIED, Body::empty()).into_response()
    } else {
        json_response(body)
    };
    let tag = HeaderValue::try_from(tag).map_err(|_| Problem::internal(&call.request_id))?;
    response.headers_mut().insert(ETAG, tag);
    response.headers_mut().insert(CACHE_CONTROL, CACHED);
    Ok(response)
}

fn date(query: Option<&str>, today: NaiveDate) -> Result<NaiveDate, Problem> {
    let Query { fecha } = Input::of_query(query).only()?;
    let Some(fecha) = fecha else {
        return Ok(today);
    };
    calendar::parse_past_date(&fecha, today)
        .map_err(|error| Problem::invalid_field(Field::Date.name(), FieldErrorKind::Date(error)))
}

/// The `ETag` of a body. Equal bodies have the same tag on all replicas of one version.
fn entity_tag(body: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(body);
    format!("\"{:016x}\"", hasher.finish())
}

/// Returns `true` if `If-None-Match` contains the tag (RFC 9110, 13.1.2).
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|known| known.trim().trim_start_matches("W/"))
        .any(|known| known == "*" || known == tag)
}
