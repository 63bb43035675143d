//! `PATCH /admin/accounts/{id}`.

use axum::http::StatusCode;
use axum::response::Response;
use domain::customer::{CustomerId, ExistingKeys};
use domain::limits::Plan;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use web::Problem;

use crate::openapi::responses::{
    AdminsOnly, FaultyInput, LargeBody, NoJson, NoSuchThing, SlowBody,
};
use crate::openapi::schemas::{self, words};
use crate::people::input::{Members, word};
use crate::people::request::PersonRequest;
use crate::people::views::{AccountView, PLANS};

const EXISTING_KEYS: &[&str] = &["keep", "follow"];

/// A plan to set.
#[derive(ToSchema)]
#[schema(as = PlanChange)]
struct PlanChangeBody {
    #[schema(schema_with = schemas::plan)]
    plan: Plan,
    #[schema(required = false, schema_with = existing_keys)]
    existing_keys: ExistingKeys,
}

fn existing_keys() -> ObjectBuilder {
    words(EXISTING_KEYS)
        .default(Some("keep".into()))
        .description(Some(
            "`follow` gives keys that aren't revoked the limits of the new plan.",
        ))
}

impl PlanChangeBody {
    fn read(body: &[u8]) -> Result<Self, Problem> {
        let mut members = Members::read(body, &["plan", "existing_keys"])?;
        let plan = members.text("plan", word(PLANS, Plan::from_name));
        let existing_keys = members.text(
            "existing_keys",
            word(EXISTING_KEYS, |text| match text {
                "keep" => Some(ExistingKeys::Keep),
                "follow" => Some(ExistingKeys::Follow),
                _ => None,
            }),
        );
        Ok(Self {
            plan: members.end_with("plan", plan)?,
            existing_keys: existing_keys.unwrap_or(ExistingKeys::Keep),
        })
    }
}

/// Set an account's plan
#[utoipa::path(
    patch,
    path = "/admin/accounts/{id}",
    operation_id = "setPlan",
    tag = "admin",
    params(("id" = String, Path, description = "The account.", format = "uuid")),
    request_body(content = PlanChangeBody, description = crate::openapi::STRICT_BODY),
    responses(
        (status = 200, description = "The account, changed.", body = AccountView),
        FaultyInput, AdminsOnly, NoSuchThing, SlowBody, LargeBody, NoJson,
    ),
)]
pub(super) async fn set_plan(request: PersonRequest) -> Result<Response, Problem> {
    request.parameters().end()?;
    let id = CustomerId(request.id()?);
    let body = PlanChangeBody::read(&request.body().await?)?;
    let account = request
        .keys()
        .set_plan(&request.caller, id, body.plan, body.existing_keys)
        .await;
    let account = account.map_err(|error| request.problem(&error))?;
    request.json(StatusCode::OK, &AccountView::new(&account))
}
