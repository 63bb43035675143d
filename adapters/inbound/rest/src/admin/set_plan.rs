//! Handler of `PATCH /admin/accounts/{id}`.

use axum::http::StatusCode;
use axum::response::Response;
use domain::limits::Plan;
use domain::people::customer::{CustomerId, ExistingKeys};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use validator::Validate;
use web::Problem;
use web::views::people::Account;

use crate::openapi::responses::{
    AdminsOnly, FaultyInput, LargeBody, NoJson, NoSuchThing, SlowBody,
};
use crate::openapi::schemas;
use crate::people::input::{Choice, Word};
use crate::people::request::PersonRequest;

/// A plan to set.
#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlanChange)]
struct PlanChangeBody {
    #[serde(default)]
    #[schema(required = false, schema_with = existing_keys)]
    existing_keys: Choice<ExistingKeys>,
    #[schema(schema_with = schemas::plan)]
    plan: Word<Plan>,
}

fn existing_keys() -> ObjectBuilder {
    schemas::choice::<ExistingKeys>().description(Some(
        "`follow` gives keys that aren't revoked the limits of the new plan.",
    ))
}

/// Set an account's plan
#[utoipa::path(
    patch,
    path = "/admin/accounts/{id}",
    operation_id = "setPlan",
    tag = "admin",
    params(("id" = String, Path, description = "The account.", format = "uuid")),
    request_body(content = PlanChangeBody, description = crate::openapi::bodies::STRICT),
    responses(
        (status = 200, description = "The account, changed.", body = Account),
        FaultyInput, AdminsOnly, NoSuchThing, SlowBody, LargeBody, NoJson,
    ),
)]
pub(super) async fn set_plan(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = CustomerId(request.id()?);
    let PlanChangeBody {
        plan: Word(plan),
        existing_keys: Choice(existing_keys),
    } = request.body().await?;
    let account = request
        .keys()
        .set_plan(&request.caller, id, plan, existing_keys)
        .await;
    let account = account.map_err(|error| request.problem(&error))?;
    request.json(StatusCode::OK, &Account::from(&account))
}
