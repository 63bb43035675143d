//! Handler of `GET /admin/keys`.

use application::RequestedScope;
use axum::http::StatusCode;
use axum::response::Response;
use domain::keys::{Environment, KeyFilter, KeyQuery, KeySort, KeyStatus};
use domain::page::{Direction, PageRequest};
use domain::people::customer::CustomerId;
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;
use web::Problem;
use web::views::keys::Key;

use crate::openapi::responses::{AdminsOnly, FaultyInput};
use crate::people::input::{Choice, Id, Search, SearchText, Text, Word};
use crate::people::listing::{self, KeyPage, Listing, Paging};
use crate::people::request::PersonRequest;

type OrderChoice = Choice<Order>;
type StatusWord = Word<KeyStatus>;
type EnvironmentWord = Word<Environment>;

/// Parameters of the request, beside those of the page.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
struct Query {
    /// Of this account alone.
    #[param(inline)]
    account_id: Option<Id>,
    /// The order.
    #[serde(default)]
    #[param(inline)]
    order: OrderChoice,
    /// In these states; repeat it, or separate them with commas.
    #[serde(default)]
    #[param(inline)]
    state: Vec<StatusWord>,
    /// Of this environment alone.
    #[param(inline)]
    env: Option<EnvironmentWord>,
    /// A text in the name, at the beginning of the prefix or in the owner's subject; upper and
    /// lower case of ASCII letters are alike.
    #[param(inline)]
    text: Option<SearchText>,
}

#[derive(Default, strum::EnumString, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
enum Order {
    #[default]
    Newest,
    Oldest,
    Name,
    NameDescending,
}

impl Query {
    fn scope(&self) -> RequestedScope {
        let account = self.account_id.as_ref().map(|Text(id)| CustomerId(*id));
        account.map_or(RequestedScope::All, RequestedScope::Of)
    }

    fn query(self, page: PageRequest) -> KeyQuery {
        let Choice(order) = self.order;
        let (order, direction) = match order {
            Order::Newest => (KeySort::Created, Direction::Descending),
            Order::Oldest => (KeySort::Created, Direction::Ascending),
            Order::Name => (KeySort::Name, Direction::Ascending),
            Order::NameDescending => (KeySort::Name, Direction::Descending),
        };
        KeyQuery {
            filter: KeyFilter {
                statuses: self.state.into_iter().map(|Word(status)| status).collect(),
                environment: self.env.map(|Word(environment)| environment),
                text: self.text.and_then(|Text(Search(text))| text),
            },
            order,
            direction,
            page,
        }
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
        (status = 200, description = "One page.", body = KeyPage),
        FaultyInput, AdminsOnly,
    ),
)]
pub(super) async fn search_keys(request: PersonRequest) -> Result<Response, Problem> {
    let (query, page) = listing::read::<Query>(request.parameters())?;
    let (scope, query) = (query.scope(), query.query(page));
    let page = request.keys().list(&request.caller, scope, &query).await;
    let page = page.map_err(|error| request.problem(&error))?;
    let listing = Listing::of(page, |key| Key::from(&key));
    request.json(StatusCode::OK, &listing)
}
