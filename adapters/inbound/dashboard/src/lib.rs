//! Inbound adapter: sign-in, sign-out and the dashboard page.
//!
//! [`router`] serves `/login`, `/auth/callback`, `/logout` and `/dashboard`. The page's sources are in
//! `page/`; `files` embeds them. The page gets all its data from the GraphQL API. Neither contains business
//! rules.

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

/// URL path of the dashboard.
pub const DASHBOARD_PATH: &str = "/dashboard";

/// Path of the redirect URI. Public origin and this path must be registered at the identity provider.
pub const CALLBACK_PATH: &str = "/auth/callback";

/// Dependencies of [`router`].
pub struct DashboardState {
    /// Use cases of sign-in and sign-out.
    pub sessions: Arc<SessionService>,
    /// Clock for the remaining lifetime of a session.
    pub clock: Arc<dyn Clock>,
    /// The public origin and the cookies.
    pub site: Arc<Site>,
    /// Dependencies of the request middleware.
    pub request_layer: Arc<RequestLayer>,
}

/// All routes, including `/`.
pub fn router(state: DashboardState) -> Router {
    let request_layer = Arc::clone(&state.request_layer);
    let state = Arc::new(state);
    let closed = |route: MethodRouter<Arc<DashboardState>>| route.fallback(method_not_allowed);
    // At another loopback name, a browser wouldn't send the session cookie.
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
        // These paths get 404 instead of the dashboard's HTML.
        .route("/dashboard/assets", closed(get(files::no_asset)))
        .route("/dashboard/assets/", closed(get(files::no_asset)))
        .with_state(state);
    observe(router, &request_layer).merge(observe_untraced(files, &request_layer))
}

async fn to_dashboard() -> Response {
    see_other(HeaderValue::from_static(DASHBOARD_PATH))
}

/// A 303 redirect, which browsers follow with GET.
fn see_other(location: HeaderValue) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(LOCATION, location);
    response
}
