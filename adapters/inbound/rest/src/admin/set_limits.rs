//! `PATCH /admin/keys/{id}`.

use axum::http::StatusCode;
use axum::response::Response;
use domain::key::KeyId;
use domain::limits::{LimitsChange, MAX_MONTHLY_QUOTA, MAX_PER_MINUTE, Plan};
use utoipa::ToSchema;
use web::Problem;

use crate::openapi::responses::{
    AdminsOnly, Conflict, FaultyInput, LargeBody, NoJson, NoSuchThing, SlowBody,
};
use crate::openapi::schemas;
use crate::people::input::{Members, word};
use crate::people::request::PersonRequest;
use crate::people::views::{AdminKeyView, PLANS};

const MEMBERS: [&str; 3] = ["per_minute", "monthly_quota", "plan"];

/// Limits to change, at least one.
#[derive(ToSchema)]
#[schema(as = LimitsChange, min_properties = 1)]
#[expect(
    clippy::option_option,
    reason = "the outer None is no member, the inner one is null"
)]
struct LimitsChangeBody {
    #[schema(required = false, schema_with = schemas::per_minute)]
    per_minute: Option<u32>,
    #[schema(required = false, schema_with = schemas::new_monthly_quota)]
    monthly_quota: Option<Option<u64>>,
    #[schema(required = false, schema_with = schemas::plan)]
    plan: Option<Plan>,
}

impl LimitsChangeBody {
    fn read(body: &[u8]) -> Result<Self, Problem> {
        let mut members = Members::read(body, &MEMBERS)?;
        let per_minute = members.whole("per_minute", MAX_PER_MINUTE.into());
        let monthly_quota = members.whole_or_null("monthly_quota", MAX_MONTHLY_QUOTA);
        let plan = members.text("plan", word(PLANS, Plan::from_name));
        members.end()?;
        Ok(Self {
            per_minute: per_minute.and_then(|number| u32::try_from(number).ok()),
            monthly_quota,
            plan,
        })
    }

    /// The limits that a plan starts with, and above them each that is given.
    fn change(self) -> Result<LimitsChange, Problem> {
        let plan = self.plan.map(|plan| plan.limits().into());
        let plan: LimitsChange = plan.unwrap_or_default();
        let change = LimitsChange::new(
            self.per_minute.or(plan.per_minute()),
            self.monthly_quota.or(plan.monthly_quota()),
        );
        match change {
            Ok(change) if change != LimitsChange::default() => Ok(change),
            // The numbers are in range, so there was none.
            Ok(_) | Err(_) => Err(Problem::EmptyChange { fields: &MEMBERS }),
        }
    }
}

/// Change the limits of anybody's key
///
/// What is absent stays as it is. `plan` sets the limits that keys of this plan start with, above
/// which `per_minute` and `monthly_quota` count; the account's own plan is another thing and stays.
#[utoipa::path(
    patch,
    path = "/admin/keys/{id}",
    operation_id = "setKeyLimits",
    tag = "admin",
    params(("id" = String, Path, description = "The key.", format = "uuid")),
    request_body(content = LimitsChangeBody, description = crate::openapi::STRICT_BODY),
    responses(
        (status = 200, description = "The key, changed.", body = AdminKeyView),
        FaultyInput, AdminsOnly, NoSuchThing, Conflict, SlowBody, LargeBody, NoJson,
    ),
)]
pub(super) async fn set_limits(request: PersonRequest) -> Result<Response, Problem> {
    request.parameters().end()?;
    let id = KeyId(request.id()?);
    let change = LimitsChangeBody::read(&request.body().await?)?.change()?;
    let changed = request.keys().set_limits(&request.caller, id, change);
    let changed = changed.await.map_err(|error| request.problem(&error))?;
    request.json(StatusCode::OK, &AdminKeyView::new(&changed))
}
