//! Inbound adapter: sign-in, sign-out and the dashboard page.
//!
//! [`router`] serves `/login`, `/auth/callback`, `/logout` and `/dashboard`. The page stands in
//! `page/`, is compiled in (`files`), and asks the GraphQL API for everything; no rule of the
//! business lives here, or there.
#![warn(missing_docs)]

mod error_page;
mod files;
mod html;
mod loopback;
mod return_to;
mod security;
mod sign_in;
mod sign_out;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::header::LOCATION;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use ports::inbound::Sessions;
use ports::outbound::Clock;
use web::{RequestLayer, Site, method_not_allowed, observe, observe_untraced};

/// Where the page is.
pub const DASHBOARD_PATH: &str = "/dashboard";

/// Where the identity provider sends a browser back to: what must be registered there, after the
/// public origin.
pub const CALLBACK_PATH: &str = "/auth/callback";

/// What the routes stand on.
pub struct DashboardState {
    /// Lets people in and out.
    pub sessions: Arc<dyn Sessions>,
    /// For the time that is left of a session.
    pub clock: Arc<dyn Clock>,
    /// Our origin and our cookies.
    pub site: Arc<Site>,
    /// For request ids, the log, and bodies that nobody reads.
    pub request_layer: Arc<RequestLayer>,
}

/// All routes, `/` among them.
pub fn router(state: DashboardState) -> Router {
    let request_layer = Arc::clone(&state.request_layer);
    let state = Arc::new(state);
    let closed = |route: MethodRouter<Arc<DashboardState>>| route.fallback(method_not_allowed);
    // Whoever comes by another name of this machine has no cookie of ours there.
    let at_home = from_fn_with_state(Arc::clone(&state), loopback::send_home);

    let pages = Router::new()
        .route(web::SIGN_IN_PATH, closed(get(sign_in::begin)))
        .route(DASHBOARD_PATH, closed(get(files::index)))
        .route("/dashboard/", closed(get(files::index)))
        .route("/dashboard/{*place}", closed(get(files::index)))
        .layer(at_home);
    let router = Router::new()
        .route("/", closed(get(home)))
        .route(CALLBACK_PATH, closed(get(sign_in::finish)))
        .route("/logout", closed(post(sign_out::end)))
        .merge(pages)
        .with_state(Arc::clone(&state));
    let files = Router::new()
        .route("/dashboard/assets/{*file}", closed(get(files::asset)))
        // Here are files, and no places of the page.
        .route("/dashboard/assets", closed(get(files::no_asset)))
        .route("/dashboard/assets/", closed(get(files::no_asset)))
        .with_state(state);
    observe(router, &request_layer).merge(observe_untraced(files, &request_layer))
}

async fn home() -> Response {
    see_other(HeaderValue::from_static(DASHBOARD_PATH))
}

/// Sends a browser elsewhere, with GET.
fn see_other(location: HeaderValue) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(LOCATION, location);
    response
}
