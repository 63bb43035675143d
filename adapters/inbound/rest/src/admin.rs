//! `/admin`: keys, accounts, usage and the audit log of all accounts, for admins.

mod get_key;
mod list_accounts;
mod read_audit;
mod report_usage;
mod revoke_key;
mod search_keys;
mod set_limits;
mod set_plan;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::people::state::PeopleState;

pub(crate) fn routes() -> OpenApiRouter<Arc<PeopleState>> {
    OpenApiRouter::new()
        .routes(routes!(search_keys::search_keys))
        .routes(routes!(
            get_key::get_key,
            set_limits::set_limits,
            revoke_key::revoke_key
        ))
        .routes(routes!(list_accounts::list_accounts))
        .routes(routes!(set_plan::set_plan))
        .routes(routes!(report_usage::report_usage))
        .routes(routes!(read_audit::read_audit))
}
