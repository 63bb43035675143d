//! `GET /admin/accounts`.

use axum::http::StatusCode;
use axum::response::Response;
use domain::page::PageRequest;
use utoipa::IntoParams;
use web::Problem;

use crate::openapi::responses::{AdminsOnly, FaultyInput};
use crate::openapi::schemas::{self, parameter_type};
use crate::people::input::{self, Parameters};
use crate::people::listing::{self, AccountPage, Listing, Paging};
use crate::people::request::PersonRequest;
use crate::people::views::AccountOverviewView;

parameter_type!(Search = schemas::search());

/// Parameters of the request, beside those of the page.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
struct Query {
    /// A text in the owner's issuer or subject.
    #[param(required = false, inline, value_type = Search)]
    q: Option<String>,
}

impl Query {
    fn read(mut parameters: Parameters) -> Result<(Self, PageRequest), Problem> {
        let q = parameters.one("q", input::search).flatten();
        let page = listing::page(&mut parameters);
        parameters.end()?;
        Ok((Self { q }, page))
    }
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
    let (query, page) = Query::read(request.parameters())?;
    let page = request
        .insights()
        .customers(&request.caller, query.q.as_deref(), &page)
        .await;
    let page = page.map_err(|error| request.problem(&error))?;
    let listing = Listing::of(page, |account| AccountOverviewView::new(&account));
    request.json(StatusCode::OK, &listing)
}
