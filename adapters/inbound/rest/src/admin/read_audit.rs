//! Handler of `GET /admin/audit`.

use axum::http::StatusCode;
use axum::response::Response;
use domain::audit::AuditFilter;
use domain::keys::KeyId;
use domain::people::customer::CustomerId;
use serde::Deserialize;
use utoipa::IntoParams;
use validator::{Validate, ValidationError};
use web::Problem;
use web::problem::FieldProblem;
use web::views::audit::AuditEntry;

use crate::openapi::responses::{AdminsOnly, FaultyInput};
use crate::people::input::{Id, Instant, Text, rule_error};
use crate::people::listing::{self, AuditPage, Listing, Paging};
use crate::people::request::PersonRequest;

/// Parameters of the request, beside those of the page.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
#[validate(schema(function = forwards))]
struct Query {
    /// About this account alone.
    #[param(inline)]
    account_id: Option<Id>,
    /// About this key alone.
    #[param(inline)]
    key_id: Option<Id>,
    /// At or after this instant.
    #[param(inline)]
    from: Option<Instant>,
    /// Before this instant.
    #[param(inline)]
    to: Option<Instant>,
}

fn forwards(query: &Query) -> Result<(), ValidationError> {
    match (&query.from, &query.to) {
        (Some(Text(from)), Some(Text(to))) if from >= to => {
            Err(rule_error("from", &FieldProblem::Backwards))
        }
        _ => Ok(()),
    }
}

impl From<Query> for AuditFilter {
    fn from(query: Query) -> Self {
        Self {
            customer: query.account_id.map(|Text(id)| CustomerId(id)),
            key: query.key_id.map(|Text(id)| KeyId(id)),
            from: query.from.map(|Text(at)| at),
            to: query.to.map(|Text(at)| at),
        }
    }
}

/// The audit log, newest first
#[utoipa::path(
    get,
    path = "/admin/audit",
    operation_id = "readAudit",
    tag = "admin",
    params(Query, Paging),
    responses(
        (status = 200, description = "One page.", body = AuditPage),
        FaultyInput, AdminsOnly,
    ),
)]
pub(super) async fn read_audit(request: PersonRequest) -> Result<Response, Problem> {
    let (query, page) = listing::read::<Query>(request.parameters())?;
    let page = request
        .insights()
        .audit(&request.caller, &query.into(), &page)
        .await;
    let page = page.map_err(|error| request.problem(&error))?;
    let listing = Listing::of(page, AuditEntry::from);
    request.json(StatusCode::OK, &listing)
}
