//! `/webhooks`: webhooks of the user's account, and deliveries to them.

mod body;
mod deliveries;
mod endpoints;
mod views;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::people::state::PeopleState;

pub(crate) use views::CreatedWebhookBody;

pub(crate) fn routes() -> OpenApiRouter<Arc<PeopleState>> {
    OpenApiRouter::new()
        .routes(routes!(endpoints::list, endpoints::create))
        .routes(routes!(
            endpoints::find,
            endpoints::change,
            endpoints::remove
        ))
        .routes(routes!(endpoints::rotate_secret))
        .routes(routes!(deliveries::test))
        .routes(routes!(deliveries::list))
        .routes(routes!(deliveries::resend))
}
