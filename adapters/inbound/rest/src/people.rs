//! Routes that need a session: keys, files of lookups, webhooks, own accounts, and routes for admins.

pub(crate) mod input;
pub(crate) mod listing;
pub(crate) mod request;
pub(crate) mod state;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use utoipa_axum::router::OpenApiRouter;

use self::state::PeopleState;
use crate::completion::complete;
use crate::{accounts, admin, keys, lookups, webhooks, with_alias};

pub(crate) fn routes() -> OpenApiRouter<Arc<PeopleState>> {
    keys::routes()
        .merge(lookups::own::routes())
        .merge(webhooks::routes())
        .merge(accounts::routes())
        .merge(admin::routes())
}

/// The routes that need a session: `/keys`, `/lookups`, `/webhooks`, `/v1/accounts` and `/admin`, at the
/// root and under `/api`.
///
/// It has no fallback, so that it can be merged with [`crate::router`].
pub fn people_router(state: PeopleState) -> Router {
    let (request_layer, guard) = (Arc::clone(&state.request_layer), Arc::clone(&state.guard));
    let (router, _) = routes().split_for_parts();
    let router = with_alias(router)
        .method_not_allowed_fallback(web::method_not_allowed)
        .layer(from_fn_with_state(Arc::clone(&request_layer), complete))
        .with_state(Arc::new(state));
    web::observe(web::guard(router, &guard), &request_layer)
}
