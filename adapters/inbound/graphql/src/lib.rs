//! Inbound adapter: the GraphQL API for dashboard front ends.
//!
//! Resolvers call [`application`] and convert its results; no business rule lives here. One
//! request passes `endpoint`: `request` reads the body with async-graphql's extractor, `nesting`
//! checks the text before it is parsed, `operation` selects what is executed, `limits` checks its
//! size, `execution` runs it, and `response` renders result or error in the negotiated
//! `media_type`. Subscriptions come over a `web_socket`. The schema is in `schema`. Errors are entries of the
//! catalogue in [`web::problem`] until `response` renders them.

mod endpoint;
mod execution;
mod field_error;
mod introspection;
mod limits;
mod media_type;
mod nesting;
mod operation;
mod operation_log;
mod paths;
mod request;
mod request_error;
mod response;
mod schema;
mod text;
mod web_socket;

use std::sync::Arc;

use application::{
    BatchService, InsightsService, KeyService, PersonLookupService, SharedCatalogue, WebhookService,
};
use axum::Router;
use axum::routing::{MethodRouter, get, post};
use ports::outbound::Clock;
use tokio_util::sync::CancellationToken;

use endpoint::Endpoint;
use schema::Ports;
use web_socket::WebSockets;

pub use introspection::Introspection;
pub use request::MAX_BODY_BYTES;

/// Dependencies of the API.
pub struct GraphqlState {
    /// Keys and plans.
    pub keys: Arc<KeyService>,
    /// Usage, requests, banks, accounts and the audit log.
    pub insights: Arc<InsightsService>,
    /// Stored lookups.
    pub lookups: Arc<PersonLookupService>,
    /// Batches.
    pub batches: Arc<BatchService>,
    /// Webhooks.
    pub webhooks: Arc<WebhookService>,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Participants of SPEI.
    pub participants: Arc<SharedCatalogue>,
    /// Request ids, the log, and tasks that outlive their request.
    pub request_layer: Arc<web::RequestLayer>,
    /// Session check and cross-site guard.
    pub guard: Arc<web::SessionGuard>,
    /// Introspection switch.
    pub introspection: Introspection,
    /// The end of the server, which ends subscriptions.
    pub stopping: CancellationToken,
}

/// `POST /graphql` and `GET /graphql/ws`, a WebSocket, at the root and under `/api`, observed and guarded.
pub fn router(state: GraphqlState) -> Router {
    let ports = Ports {
        keys: state.keys,
        insights: state.insights,
        lookups: state.lookups,
        batches: state.batches,
        webhooks: state.webhooks,
        clock: state.clock,
        participants: state.participants,
    };
    let endpoint = Arc::new(Endpoint {
        schema: schema::build(ports, state.introspection),
        introspection: state.introspection,
        request_layer: Arc::clone(&state.request_layer),
    });
    let http = post(endpoint::serve).fallback(endpoint::method_not_allowed);
    let http = routes(paths::HTTP, &http.with_state(Arc::clone(&endpoint)));
    let sockets = WebSockets::new(endpoint, Arc::clone(&state.guard), state.stopping);
    let upgrade = get(web_socket::upgrade).fallback(web::method_not_allowed);
    let sockets = routes(paths::WEB_SOCKET, &upgrade.with_state(Arc::new(sockets)));
    let guarded = web::guard(http.merge(sockets), &state.guard);
    web::observe(guarded, &state.request_layer)
}

/// One method at several paths.
fn routes(paths: [&'static str; 2], method: &MethodRouter) -> Router {
    let add = |routes: Router, path| routes.route(path, method.clone());
    paths.into_iter().fold(Router::new(), add)
}

/// Returns the schema definition (SDL), as it is checked in as `schema.graphql`.
pub fn schema_sdl() -> String {
    schema::sdl()
}
