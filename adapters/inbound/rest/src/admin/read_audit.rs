//! `GET /admin/audit`.

use axum::http::StatusCode;
use axum::response::Response;
use domain::audit::AuditFilter;
use domain::customer::CustomerId;
use domain::key::KeyId;
use domain::page::PageRequest;
use utoipa::IntoParams;
use web::Problem;
use web::problem::FieldProblem;

use crate::openapi::responses::{AdminsOnly, FaultyInput};
use crate::people::input::{self, Parameters};
use crate::people::listing::{self, AuditPage, Listing, Paging};
use crate::people::request::PersonRequest;
use crate::people::views::AuditView;

/// Parameters of the request, beside those of the page.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what `read` reads")]
struct Query {
    /// About this account alone.
    #[param(format = "uuid")]
    account: Option<String>,
    /// About this key alone.
    #[param(format = "uuid")]
    key: Option<String>,
    /// At or after this instant.
    #[param(format = "date-time")]
    from: Option<String>,
    /// Before this instant.
    #[param(format = "date-time")]
    to: Option<String>,
}

fn read(mut parameters: Parameters) -> Result<(AuditFilter, PageRequest), Problem> {
    let filter = AuditFilter {
        customer: parameters.one("account", input::id).map(CustomerId),
        key: parameters.one("key", input::id).map(KeyId),
        from: parameters.one("from", input::instant),
        to: parameters.one("to", input::instant),
    };
    if let (Some(from), Some(to)) = (filter.from, filter.to)
        && from >= to
    {
        parameters.faults.add("from", FieldProblem::Backwards);
    }
    let page = listing::page(&mut parameters);
    parameters.end()?;
    Ok((filter, page))
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
    let (filter, page) = read(request.parameters())?;
    let page = request
        .insights()
        .audit(&request.caller, &filter, &page)
        .await;
    let page = page.map_err(|error| request.problem(&error))?;
    let listing = Listing::of(page, |entry| AuditView::new(&entry));
    request.json(StatusCode::OK, &listing)
}
