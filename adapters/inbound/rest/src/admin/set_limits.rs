//! Handler of `PATCH /admin/keys/{id}`.

use application::NewLimits;
use axum::http::StatusCode;
use axum::response::Response;
use domain::keys::KeyId;
use domain::limits::{MAX_MONTHLY_QUOTA, MAX_PER_MINUTE, Plan};
use serde::Deserialize;
use utoipa::ToSchema;
use validator::Validate;
use web::Problem;
use web::views::keys::Key;

use crate::openapi::responses::{
    AdminsOnly, Conflict, FaultyInput, LargeBody, NoJson, NoSuchThing, SlowBody,
};
use crate::openapi::schemas;
use crate::people::input::{self, Word};
use crate::people::request::PersonRequest;

/// Limits to change, at least one.
#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LimitsChange, min_properties = 1)]
#[expect(
    clippy::option_option,
    reason = "the outer None is no member, the inner one is null"
)]
struct LimitsChangeBody {
    #[serde(default, deserialize_with = "input::given")]
    #[validate(range(min = 1, max = MAX_PER_MINUTE))]
    #[schema(required = false, schema_with = schemas::per_minute)]
    per_minute: Option<u32>,
    #[serde(default, deserialize_with = "input::given")]
    #[validate(range(min = 1, max = MAX_MONTHLY_QUOTA))]
    #[schema(required = false, schema_with = schemas::new_monthly_quota)]
    monthly_quota: Option<Option<u64>>,
    #[schema(required = false, schema_with = schemas::plan)]
    plan: Option<Word<Plan>>,
}

impl From<LimitsChangeBody> for NewLimits {
    fn from(body: LimitsChangeBody) -> Self {
        Self {
            plan: body.plan.map(|Word(plan)| plan),
            per_minute: body.per_minute,
            monthly_quota: body.monthly_quota,
        }
    }
}

/// Change the limits of anybody's key
///
/// An absent member changes nothing. `plan` sets the limits that keys of this plan start with, above
/// which `per_minute` and `monthly_quota` count; the account's own plan is another thing and stays.
#[utoipa::path(
    patch,
    path = "/admin/keys/{id}",
    operation_id = "setKeyLimits",
    tag = "admin",
    params(("id" = String, Path, description = "The key.", format = "uuid")),
    request_body(content = LimitsChangeBody, description = crate::openapi::bodies::STRICT),
    responses(
        (status = 200, description = "The key, changed.", body = Key),
        FaultyInput, AdminsOnly, NoSuchThing, Conflict, SlowBody, LargeBody, NoJson,
    ),
)]
pub(super) async fn set_limits(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = KeyId(request.id()?);
    let limits = NewLimits::from(request.body::<LimitsChangeBody>().await?);
    // Validation has checked the ranges, so an error is that of an empty input.
    let change = limits.change().map_err(|_| Problem::EmptyChange {
        fields: input::names::<LimitsChangeBody>(),
    })?;
    let changed = request.keys().set_limits(&request.caller, id, change);
    let changed = changed.await.map_err(|error| request.problem(&error))?;
    request.json(StatusCode::OK, &Key::from(&changed))
}
