//! `GET /admin/keys`.

use axum::http::StatusCode;
use axum::response::Response;
use domain::customer::CustomerId;
use domain::key::{Environment, KeyFilter, KeyQuery, KeySort, KeyStatus};
use domain::page::Direction;
use ports::inbound::RequestedScope;
use utoipa::IntoParams;
use utoipa::openapi::Array;
use web::Problem;
use web::problem::FieldProblem;

use crate::openapi::responses::{AdminsOnly, FaultyInput};
use crate::openapi::schemas::{self, parameter_type, words};
use crate::people::input::{self, Parameters, word};
use crate::people::listing::{self, AdminKeyPage, Listing, Paging};
use crate::people::request::PersonRequest;
use crate::people::views::{AdminKeyView, ENVIRONMENTS, STATES};

const ORDERS: &[&str] = &["newest", "oldest", "name", "name_descending"];

parameter_type!(Search = schemas::search());
parameter_type!(States = Array::new(words(STATES)));
parameter_type!(Environments = words(ENVIRONMENTS));
parameter_type!(Orders = words(ORDERS).default(Some("newest".into())));

/// Parameters of the request.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what `read` reads")]
struct Query {
    /// A text in the name, at the beginning of the prefix or in the owner's subject; upper and
    /// lower case of ASCII letters are alike.
    #[param(required = false, inline, value_type = Search)]
    q: Option<String>,
    /// Of this account alone.
    #[param(format = "uuid")]
    owner: Option<String>,
    /// In these states; repeat it, or separate them with commas.
    #[param(required = false, inline, value_type = States)]
    state: Vec<String>,
    /// Of this environment alone.
    #[param(required = false, inline, value_type = Environments)]
    env: Option<String>,
    /// The order.
    #[param(required = false, inline, value_type = Orders)]
    order: Option<String>,
}

fn read(mut parameters: Parameters) -> Result<(RequestedScope, KeyQuery), Problem> {
    let owner = parameters.one("owner", input::id);
    let order = parameters.one("order", word(ORDERS, order));
    let (order, direction) = order.unwrap_or((KeySort::Created, Direction::Descending));
    let query = KeyQuery {
        filter: KeyFilter {
            statuses: parameters.many("state", |text| {
                KeyStatus::from_name(text).ok_or(FieldProblem::NotOneOf { words: STATES })
            }),
            environment: parameters.one("env", word(ENVIRONMENTS, Environment::from_name)),
            text: parameters.one("q", input::search).flatten(),
        },
        order,
        direction,
        page: listing::page(&mut parameters),
    };
    parameters.end()?;
    let scope = owner.map_or(RequestedScope::All, |owner| {
        RequestedScope::Of(CustomerId(owner))
    });
    Ok((scope, query))
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

/// Everybody's keys
#[utoipa::path(
    get,
    path = "/admin/keys",
    operation_id = "searchKeys",
    tag = "admin",
    params(Query, Paging),
    responses(
        (status = 200, description = "One page.", body = AdminKeyPage),
        FaultyInput, AdminsOnly,
    ),
)]
pub(super) async fn search_keys(request: PersonRequest) -> Result<Response, Problem> {
    let (scope, query) = read(request.parameters())?;
    let page = request.keys().list(&request.caller, scope, &query).await;
    let page = page.map_err(|error| request.problem(&error))?;
    let listing = Listing::of(page, |key| AdminKeyView::new(&key));
    request.json(StatusCode::OK, &listing)
}
