//! Keys: a person's own, and everybody's for admins.

use axum::http::StatusCode;
use axum::response::Response;
use domain::customer::CustomerId;
use domain::key::{
    Environment, KeyFilter, KeyId, KeyName, KeyQuery, KeySort, KeyStatus, RevokedKeys,
};
use domain::limits::{LimitsChange, MAX_MONTHLY_QUOTA, MAX_PER_MINUTE, Plan};
use domain::page::Direction;
use ports::inbound::{NewKey, RequestedScope};
use web::Failure;

use super::ask::Ask;
use super::input::{self, InputProblem, Members, Parameters, word};
use super::listing::{self, Listing};
use super::views::{AdminKeyView, CreatedKeyView, KeyView};
use crate::failure;

pub(crate) const ENVIRONMENTS: &[&str] = &["live", "test"];
pub(crate) const STATES: &[&str] = &["active", "retiring", "revoked"];
pub(crate) const ORDERS: &[&str] = &["newest", "oldest", "name", "name_descending"];
pub(crate) const PLANS: &[&str] = &["startup", "enterprise"];

/// `POST /keys`.
pub(crate) async fn create(ask: Ask) -> Result<Response, Failure> {
    ask.parameters().end(ask.language())?;
    let body = ask.body().await?;
    let mut members = Members::read(&body, &["name", "env"], ask.language())?;
    let name = |text: &str| KeyName::parse(text).map_err(|_| InputProblem::Name);
    let name = members.text("name", name);
    let environment = members.text("env", word(ENVIRONMENTS, Environment::from_name));
    let order = NewKey {
        name: members.end_with("name", name, ask.language())?,
        environment: environment.unwrap_or(Environment::Live),
        limits: None,
    };
    let created = ask.keys().create(&ask.caller, order).await;
    let created = created.map_err(|error| ask.failure(&error))?;
    ask.answer(StatusCode::CREATED, &CreatedKeyView::new(&created))
}

/// `GET /keys`.
pub(crate) async fn own(ask: Ask) -> Result<Response, Failure> {
    let mut parameters = ask.parameters();
    let revoked = parameters.one(
        "include_revoked",
        word(&["true", "false"], |text| match text {
            "true" => Some(RevokedKeys::Included),
            "false" => Some(RevokedKeys::Hidden),
            _ => None,
        }),
    );
    parameters.end(ask.language())?;
    let revoked = revoked.unwrap_or(RevokedKeys::Included);
    let keys = ask.keys().own(&ask.caller, revoked).await;
    let keys = keys.map_err(|error| ask.failure(&error))?;
    let views: Vec<_> = keys.iter().map(KeyView::new).collect();
    ask.answer(StatusCode::OK, &views)
}

/// `DELETE /keys/{id}`.
pub(crate) async fn revoke_own(ask: Ask) -> Result<Response, Failure> {
    ask.parameters().end(ask.language())?;
    let id = KeyId(ask.id()?);
    let revoked = ask
        .keys()
        .revoke(&ask.caller, RequestedScope::Own, id)
        .await;
    let revoked = revoked.map_err(|error| ask.failure(&error))?;
    ask.answer(StatusCode::OK, &KeyView::new(&revoked.key))
}

/// `GET /admin/keys`.
pub(crate) async fn list(ask: Ask) -> Result<Response, Failure> {
    let mut parameters = ask.parameters();
    let (reach, listing) = wish(&mut parameters);
    parameters.end(ask.language())?;
    let page = ask.keys().list(&ask.caller, reach, &listing).await;
    let page = page.map_err(|error| ask.failure(&error))?;
    let listing = Listing::of(page, |key| AdminKeyView::new(&key));
    ask.answer(StatusCode::OK, &listing)
}

fn wish(parameters: &mut Parameters) -> (RequestedScope, KeyQuery) {
    let owner = parameters.one("owner", input::id);
    let order = parameters.one("order", word(ORDERS, order));
    let (order, direction) = order.unwrap_or((KeySort::Created, Direction::Descending));
    let listing = KeyQuery {
        filter: KeyFilter {
            statuses: parameters.many("state", |text| {
                KeyStatus::from_name(text).ok_or(InputProblem::NotOneOf(STATES))
            }),
            environment: parameters.one("env", word(ENVIRONMENTS, Environment::from_name)),
            text: parameters.one("q", input::search).flatten(),
        },
        order,
        direction,
        page: listing::page(parameters),
    };
    let reach = owner.map_or(RequestedScope::All, |owner| {
        RequestedScope::Of(CustomerId(owner))
    });
    (reach, listing)
}

fn order(text: &str) -> Option<(KeySort, Direction)> {
    match text {
        "newest" => Some((KeySort::Created, Direction::Descending)),
        "oldest" => Some((KeySort::Created, Direction::Ascending)),
        "name" => Some((KeySort::Name, Direction::Ascending)),
        "name_descending" => Some((KeySort::Name, Direction::Descending)),
        _ => None,
    }
}

/// `GET /admin/keys/{id}`.
pub(crate) async fn find(ask: Ask) -> Result<Response, Failure> {
    ask.parameters().end(ask.language())?;
    let id = KeyId(ask.id()?);
    let found = ask.keys().find(&ask.caller, RequestedScope::All, id).await;
    let found = found.map_err(|error| ask.failure(&error))?;
    ask.answer(StatusCode::OK, &AdminKeyView::new(&found))
}

/// `PATCH /admin/keys/{id}`.
pub(crate) async fn set_limits(ask: Ask) -> Result<Response, Failure> {
    ask.parameters().end(ask.language())?;
    let id = KeyId(ask.id()?);
    let body = ask.body().await?;
    let change = limits_change(&ask, &body)?;
    let changed = ask.keys().set_limits(&ask.caller, id, change).await;
    let changed = changed.map_err(|error| ask.failure(&error))?;
    ask.answer(StatusCode::OK, &AdminKeyView::new(&changed))
}

const CHANGES: [&str; 3] = ["per_minute", "monthly_quota", "plan"];

/// The limits that a plan starts with, and above them what is said of each.
fn limits_change(ask: &Ask, body: &[u8]) -> Result<LimitsChange, Failure> {
    let language = ask.language();
    let mut members = Members::read(body, &CHANGES, language)?;
    let per_minute = members.whole("per_minute", MAX_PER_MINUTE.into());
    let monthly_quota = members.whole_or_null("monthly_quota", MAX_MONTHLY_QUOTA);
    let plan = members.text("plan", word(PLANS, Plan::from_name));
    members.end(language)?;

    let plan = plan.map_or_else(LimitsChange::default, |plan| plan.limits().into());
    let per_minute = per_minute.and_then(|number| u32::try_from(number).ok());
    let change = LimitsChange::new(
        per_minute.or(plan.per_minute()),
        monthly_quota.or(plan.monthly_quota()),
    );
    match change {
        Ok(change) if change != LimitsChange::default() => Ok(change),
        // The numbers are in range, so there was none.
        Ok(_) | Err(_) => Err(failure::of_empty_change(&CHANGES, language)),
    }
}

/// `DELETE /admin/keys/{id}`.
pub(crate) async fn revoke(ask: Ask) -> Result<Response, Failure> {
    ask.parameters().end(ask.language())?;
    let id = KeyId(ask.id()?);
    let revoked = ask
        .keys()
        .revoke(&ask.caller, RequestedScope::All, id)
        .await;
    let revoked = revoked.map_err(|error| ask.failure(&error))?;
    ask.answer(StatusCode::OK, &AdminKeyView::new(&revoked))
}
