//! Inbound adapter: sign-in, sign-out and the dashboard page.
//!
//! [`router`] serves `/login`, `/auth/callback`, `/logout` and `/dashboard`. The page's sources are in
//! `page/`; it is compiled in (`files`) and gets all its data from the GraphQL API. No business rule
//! lives here, or there.

mod canonical_origin;
mod error_page;
mod error_text;
mod failure_log;
mod files;
mod html;
mod return_to;
mod security;
mod sign_in;
mod sign_out;

use std::sync::Arc;

use application::SessionService;
use axum::Router;
use axum::body::Body;
use axum::extract::Extension;
use axum::http::header::LOCATION;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use failure_log::FailureLog;
use ports::outbound::Clock;
use web::{RequestLayer, Site, method_not_allowed, observe, observe_untraced};

/// Path of the page.
pub const DASHBOARD_PATH: &str = "/dashboard";

/// Path of the redirect URI, which must be registered at the identity provider after the public
/// origin.
pub const CALLBACK_PATH: &str = "/auth/callback";

/// Dependencies of the routes.
pub struct DashboardState {
    /// Sign-in and sign-out.
    pub sessions: Arc<SessionService>,
    /// Clock for the remaining time of a session.
    pub clock: Arc<dyn Clock>,
    /// Public origin and cookies.
    pub site: Arc<Site>,
    /// Request ids, the log, and unread bodies.
    pub request_layer: Arc<RequestLayer>,
}

/// All routes, `/` among them.
pub fn router(state: DashboardState) -> Router {
    let request_layer = Arc::clone(&state.request_layer);
    let state = Arc::new(state);
    let closed = |route: MethodRouter<Arc<DashboardState>>| route.fallback(method_not_allowed);
    // A browser at another name of this machine wouldn't send the session's cookie.
    let canonical = from_fn_with_state(Arc::clone(&state), canonical_origin::redirect);

    let pages = Router::new()
        .route(web::SIGN_IN_PATH, closed(get(sign_in::begin)))
        .route(DASHBOARD_PATH, closed(get(files::index)))
        .route("/dashboard/", closed(get(files::index)))
        .route("/dashboard/{*place}", closed(get(files::index)))
        .layer(canonical);
    let router = Router::new()
        .route("/", closed(get(to_dashboard)))
        .route(CALLBACK_PATH, closed(get(sign_in::finish)))
        .route("/logout", closed(post(sign_out::end)))
        .merge(pages)
        .layer(Extension(FailureLog::default()))
        .with_state(Arc::clone(&state));
    let files = Router::new()
        .route("/dashboard/assets/{*file}", closed(get(files::asset)))
        // These aren't paths of the page.
        .route("/dashboard/assets", closed(get(files::no_asset)))
        .route("/dashboard/assets/", closed(get(files::no_asset)))
        .with_state(state);
    observe(router, &request_layer).merge(observe_untraced(files, &request_layer))
}

async fn to_dashboard() -> Response {
    see_other(HeaderValue::from_static(DASHBOARD_PATH))
}

/// Redirects a browser, with GET.
fn see_other(location: HeaderValue) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(LOCATION, location);
    response
}
