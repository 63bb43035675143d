//! `/lookups`: files of the stored lookups of the user's account. GraphQL serves their other data.

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
