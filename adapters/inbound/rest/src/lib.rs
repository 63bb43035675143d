//! Inbound adapter: the REST API of the contract.
//!
//! HTTP becomes calls of [`ports::inbound`], and what they answer becomes HTTP; no rule of the
//! business lives here. [`router`] serves proofs and operations, [`people_router`] keys and admins,
//! each at the root and under `/api`; a gateway without sign-in has the first alone. The way of a
//! proof request is in `pipeline`, health and the API's description are in `operations`.

mod caller;
mod details;
mod docs_page;
mod ending;
mod failure;
mod files;
mod headers;
mod json;
mod messages;
mod openapi;
mod operations;
mod people;
mod pipeline;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::routing::{get, post};
use domain::outcome::Endpoint;
use domain::participant::Catalogue;
use ports::inbound::{Health, ProofRequests};
use web::RequestLayer;

pub use ending::{Ending, ProofMetricsSink};
pub use openapi::openapi_json;
pub use people::{PeopleState, people_router};
pub use web::BODY_DEADLINE;

/// Largest body that is read: a request has six short fields, and needs less than a KiB.
pub const MAX_BODY_BYTES: usize = 16 * 1024;

/// Prefixes under which every route is served.
const ALIASES: [&str; 2] = ["", "/api"];

/// What the routes stand on.
pub struct RestState {
    /// Serves proof requests.
    pub proof_requests: Arc<dyn ProofRequests>,
    /// Says whether we can serve.
    pub health: Arc<dyn Health>,
    /// Whose codes `emisor` and `receptor` may be.
    pub catalogue: &'static Catalogue,
    /// For ids, dates and durations.
    pub request_layer: Arc<RequestLayer>,
    /// Metrics of proof requests.
    pub metrics_sink: Arc<dyn ProofMetricsSink>,
}

/// All routes.
///
/// The accept loop must put `ConnectInfo<SocketAddr>` into each request's extensions; without it
/// all callers share one address.
pub fn router(state: RestState) -> Router {
    let request_layer = Arc::clone(&state.request_layer);
    let state = Arc::new(state);

    let (mut probes, mut operations) = (Router::new(), Router::new());
    for alias in ALIASES {
        let route = |path: &str| format!("{alias}{path}");
        probes = probes
            .route(&route("/healthz"), get(operations::healthz))
            .route(&route("/readyz"), get(operations::readyz));
        operations = operations
            .route(&route("/openapi.json"), get(operations::openapi))
            .route(&route("/docs"), get(docs_page::redirect))
            .route(&route("/docs/"), get(docs_page::index))
            .route(&route("/docs/{file}"), get(docs_page::file));
    }
    let operations = operations
        .method_not_allowed_fallback(web::method_not_allowed)
        .fallback(web::route_not_found)
        .with_state(Arc::clone(&state));
    let probes = probes
        .method_not_allowed_fallback(web::method_not_allowed)
        .with_state(Arc::clone(&state));
    let mut router = web::observe(operations, &request_layer)
        .merge(web::observe_untraced(probes, &request_layer));

    // A proof request observes itself, for it outlives its caller.
    let refuse_method = web::observe(
        Router::new().fallback(web::method_not_allowed),
        &request_layer,
    );
    for alias in ALIASES {
        for endpoint in Endpoint::ALL {
            let state = Arc::clone(&state);
            let answer = move |request: Request| pipeline::answer(state, endpoint, request);
            router = router.route(
                &format!("{alias}/v1/cep/{}", endpoint.name()),
                post(answer).fallback_service(refuse_method.clone()),
            );
        }
    }
    router
}
