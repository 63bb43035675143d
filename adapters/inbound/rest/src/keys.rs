//! `/keys`: the user's own keys.

mod create;
mod list;
mod revoke;

pub(crate) use create::CreatedKeyView;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::people::state::PeopleState;

pub(crate) fn routes() -> OpenApiRouter<Arc<PeopleState>> {
    OpenApiRouter::new()
        .routes(routes!(list::list, create::create))
        .routes(routes!(revoke::revoke))
}
