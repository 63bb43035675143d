//! `/v1/accounts`: accounts that the user's account receives transfers on.

use std::sync::Arc;

use application::NewOwnAccount;
use axum::http::StatusCode;
use axum::response::Response;
use domain::own_accounts::OwnAccountId;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use validator::Validate;
use web::Problem;
use web::views::own_accounts::OwnAccount;

use crate::openapi::responses::{FaultyInput, LargeBody, NoJson, NoSuchThing, SlowBody};
use crate::openapi::schemas;
use crate::people::request::PersonRequest;
use crate::people::state::PeopleState;
use crate::proofs::schemas as fields;

pub(crate) fn routes() -> OpenApiRouter<Arc<PeopleState>> {
    OpenApiRouter::new()
        .routes(routes!(list, add))
        .routes(routes!(remove))
}

/// An own account to add.
#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewOwnAccount)]
struct NewOwnAccountBody {
    #[schema(schema_with = schemas::key_name)]
    name: String,
    #[schema(schema_with = fields::account)]
    cuenta: String,
    #[schema(required = false, schema_with = fields::inferable_receiver)]
    receptor: Option<String>,
}

/// Your own accounts
///
/// A lookup, a row of a batch or a receipt whose `cuenta` is masked (`****1234`) or missing is completed with those
/// that fit: at most three are asked for, one after the other, and it is counted once.
#[utoipa::path(
    get,
    path = "/v1/accounts",
    operation_id = "listOwnAccounts",
    tag = "accounts",
    responses(
        (status = 200, description = "All of them, in the order in which they were added.", body = Vec<OwnAccount>),
        FaultyInput,
    ),
)]
async fn list(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let found = request.own_accounts().list(&request.caller).await;
    let found = found.map_err(|error| request.own_account_problem(error))?;
    let catalogue = request.catalogue();
    let views = found.iter().map(|own| OwnAccount::new(own, &catalogue));
    request.json(StatusCode::OK, &views.collect::<Vec<_>>())
}

/// Add an own account
///
/// At most 50 are kept, encrypted. `receptor` may be left out for a CLABE, and for most cards.
#[utoipa::path(
    post,
    path = "/v1/accounts",
    operation_id = "addOwnAccount",
    tag = "accounts",
    request_body(content = NewOwnAccountBody, description = crate::openapi::bodies::STRICT),
    responses(
        (status = 201, description = "The account.", body = OwnAccount),
        FaultyInput, SlowBody, LargeBody, NoJson,
    ),
)]
async fn add(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let body: NewOwnAccountBody = request.body().await?;
    let new = NewOwnAccount {
        name: body.name,
        account: body.cuenta,
        bank: body.receptor,
    };
    let added = request.own_accounts().add(&request.caller, new).await;
    let added = added.map_err(|error| request.own_account_problem(error))?;
    request.json(
        StatusCode::CREATED,
        &OwnAccount::new(&added, &request.catalogue()),
    )
}

/// Remove an own account
#[utoipa::path(
    delete,
    path = "/v1/accounts/{id}",
    operation_id = "removeOwnAccount",
    tag = "accounts",
    params(("id" = String, Path, description = "The account.", format = "uuid")),
    responses(
        (status = 200, description = "The account as it was.", body = OwnAccount),
        FaultyInput, NoSuchThing,
    ),
)]
async fn remove(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = OwnAccountId(request.id()?);
    let removed = request.own_accounts().remove(&request.caller, id).await;
    let removed = removed.map_err(|error| request.own_account_problem(error))?;
    request.json(
        StatusCode::OK,
        &OwnAccount::new(&removed, &request.catalogue()),
    )
}
