//! The audit log, for admins.

use axum::http::StatusCode;
use axum::response::Response;
use domain::audit::AuditFilter;
use domain::customer::CustomerId;
use domain::key::KeyId;
use web::Failure;

use super::ask::Ask;
use super::input::{self, InputProblem};
use super::listing::{self, Listing};
use super::views::AuditView;

/// `GET /admin/audit`.
pub(crate) async fn list(ask: Ask) -> Result<Response, Failure> {
    let mut parameters = ask.parameters();
    let filter = AuditFilter {
        customer: parameters.one("account", input::id).map(CustomerId),
        key: parameters.one("key", input::id).map(KeyId),
        from: parameters.one("from", input::instant),
        to: parameters.one("to", input::instant),
    };
    if let (Some(from), Some(to)) = (filter.from, filter.to)
        && from >= to
    {
        parameters.faults.add("from", InputProblem::Backwards);
    }
    let page = listing::page(&mut parameters);
    parameters.end(ask.language())?;
    let page = ask.insights().audit(&ask.caller, &filter, &page).await;
    let page = page.map_err(|error| ask.failure(&error))?;
    let listing = Listing::of(page, |entry| AuditView::new(&entry));
    ask.answer(StatusCode::OK, &listing)
}
