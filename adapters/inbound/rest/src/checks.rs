//! `/v1/cep/verify`: checks of uploaded proofs.

use std::sync::Arc;

use application::BankComparison;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::Problem;

use crate::RestState;
use crate::people::input::Input;

mod verify;
pub(crate) mod views;

pub(crate) fn routes() -> OpenApiRouter<Arc<RestState>> {
    OpenApiRouter::new().routes(routes!(verify::verify))
}

/// Parses the parameter `portal`: compare the proof with the bank's, or not.
pub(crate) fn bank_comparison(query: Option<&str>) -> Result<BankComparison, Problem> {
    let query: verify::Query = Input::of_query(query).only()?;
    Ok(match query.portal {
        Some(true) => BankComparison::Wanted,
        Some(false) | None => BankComparison::Skipped,
    })
}
