//! Accounts and their plans, for admins.

use axum::http::StatusCode;
use axum::response::Response;
use domain::customer::{CustomerId, ExistingKeys};
use domain::limits::Plan;
use web::Problem;

use super::ask::Ask;
use super::input::{self, Members, word};
use super::keys::PLANS;
use super::listing::{self, Listing};
use super::views::{AccountOverviewView, AccountView};

pub(crate) const EXISTING_KEYS: &[&str] = &["keep", "follow"];

/// `GET /admin/accounts`.
pub(crate) async fn list(ask: Ask) -> Result<Response, Problem> {
    let mut parameters = ask.parameters();
    let text = parameters.one("q", input::search).flatten();
    let page = listing::page(&mut parameters);
    parameters.end()?;
    let insights = ask.insights();
    let page = insights
        .customers(&ask.caller, text.as_deref(), &page)
        .await;
    let page = page.map_err(|error| ask.problem(&error))?;
    let listing = Listing::of(page, |account| AccountOverviewView::new(&account));
    ask.answer(StatusCode::OK, &listing)
}

/// `PATCH /admin/accounts/{id}`.
pub(crate) async fn set_plan(ask: Ask) -> Result<Response, Problem> {
    ask.parameters().end()?;
    let id = CustomerId(ask.id()?);
    let body = ask.body().await?;
    let mut members = Members::read(&body, &["plan", "existing_keys"])?;
    let plan = members.text("plan", word(PLANS, Plan::from_name));
    let existing = members.text(
        "existing_keys",
        word(EXISTING_KEYS, |text| match text {
            "keep" => Some(ExistingKeys::Keep),
            "follow" => Some(ExistingKeys::Follow),
            _ => None,
        }),
    );
    let plan = members.end_with("plan", plan)?;
    let existing = existing.unwrap_or(ExistingKeys::Keep);
    let account = ask.keys().set_plan(&ask.caller, id, plan, existing).await;
    let account = account.map_err(|error| ask.problem(&error))?;
    ask.answer(StatusCode::OK, &AccountView::new(&account))
}
