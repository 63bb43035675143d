//! `/lookups`: files of a person's own stored lookups. GraphQL has everything else of them.

mod file;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::people::state::PeopleState;

pub(crate) fn routes() -> OpenApiRouter<Arc<PeopleState>> {
    OpenApiRouter::new()
        .routes(routes!(file::xml))
        .routes(routes!(file::pdf))
        .routes(routes!(file::zip))
}
