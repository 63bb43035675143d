//! Routes for people: their keys, and — for admins — everybody's. All of them are under a session.

pub(crate) mod accounts;
mod ask;
mod audit;
pub(crate) mod input;
pub(crate) mod keys;
pub(crate) mod listing;
pub(crate) mod usage;
pub(crate) mod views;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{delete, get, patch};
use ports::inbound::{Insights, KeyAdministration};
use web::{RequestLayer, SessionGuard};

use crate::ALIASES;

/// What the routes for people stand on.
pub struct PeopleState {
    /// Manages keys and plans.
    pub keys: Arc<dyn KeyAdministration>,
    /// Reads customers, use and the audit log.
    pub insights: Arc<dyn Insights>,
    /// Observes each request.
    pub request_layer: Arc<RequestLayer>,
    /// Lets people in.
    pub guard: Arc<SessionGuard>,
}

/// The routes for people: `/keys` and `/admin`, at the root and under `/api`.
///
/// It has no fallback of its own, so that it can be merged with [`crate::router`].
pub fn people_router(state: PeopleState) -> Router {
    let (request_layer, guard) = (Arc::clone(&state.request_layer), Arc::clone(&state.guard));
    let mut router = Router::new();
    for alias in ALIASES {
        let route = |path: &str| format!("{alias}{path}");
        router = router
            .route(&route("/keys"), get(keys::own).post(keys::create))
            .route(&route("/keys/{id}"), delete(keys::revoke_own))
            .route(&route("/admin/keys"), get(keys::list))
            .route(
                &route("/admin/keys/{id}"),
                get(keys::find).patch(keys::set_limits).delete(keys::revoke),
            )
            .route(&route("/admin/accounts"), get(accounts::list))
            .route(&route("/admin/accounts/{id}"), patch(accounts::set_plan))
            .route(&route("/admin/usage"), get(usage::report))
            .route(&route("/admin/audit"), get(audit::list));
    }
    let router = router
        .method_not_allowed_fallback(web::method_not_allowed)
        .layer(from_fn_with_state(Arc::clone(&request_layer), see_through))
        .with_state(Arc::new(state));
    web::observe(web::guard(router, &guard), &request_layer)
}

/// Ends a change that has begun, though its caller hangs up meanwhile: what the store committed the
/// limiter has to hear of.
async fn see_through(
    State(request_layer): State<Arc<RequestLayer>>,
    request: Request,
    next: Next,
) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let seen_through = request_layer.tasks.spawn(next.run(request)).await;
    // Nothing cancels it but a runtime that ends, and then nobody waits here.
    seen_through.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
}
