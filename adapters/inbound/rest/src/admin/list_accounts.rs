//! Handler of `GET /admin/accounts`.

use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;
use web::Problem;
use web::views::people::Account;

use crate::openapi::responses::{AdminsOnly, FaultyInput};
use crate::people::input::{Search, SearchText, Text};
use crate::people::listing::{self, AccountPage, Listing, Paging};
use crate::people::request::PersonRequest;

/// Parameters of the request, beside those of the page.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
struct Query {
    /// A text in the owner's issuer or subject.
    #[param(inline)]
    text: Option<SearchText>,
}

/// All accounts, newest first
#[utoipa::path(
    get,
    path = "/admin/accounts",
    operation_id = "listAccounts",
    tag = "admin",
    params(Query, Paging),
    responses(
        (status = 200, description = "One page.", body = AccountPage),
        FaultyInput, AdminsOnly,
    ),
)]
pub(super) async fn list_accounts(request: PersonRequest) -> Result<Response, Problem> {
    let (query, page) = listing::read::<Query>(request.parameters())?;
    let text = query.text.and_then(|Text(Search(text))| text);
    let page = request
        .insights()
        .customers(&request.caller, text.as_deref(), &page)
        .await;
    let page = page.map_err(|error| request.problem(&error))?;
    let listing = Listing::of(page, |account| Account::from(&account));
    request.json(StatusCode::OK, &listing)
}
