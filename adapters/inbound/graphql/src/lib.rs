//! Inbound adapter: the GraphQL API for dashboard front ends.
//!
//! Resolvers call [`application`] and convert its results; business rules are in the application. `endpoint`
//! handles a request: `request` reads the body with async-graphql's extractor, `nesting` checks the text
//! before it is parsed, `operation` selects the operation, `limits` checks its size, `execution` runs it,
//! and `response` renders result or error in the negotiated `media_type`. `web_socket` serves subscriptions.
//! `schema` holds the schema. Errors are entries of the catalogue in [`web::problem`] until `response`
//! renders them.

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
    BatchService, InsightsService, KeyService, OwnAccountService, PersonLookupService,
    SharedCatalogue, WebhookService,
};
use axum::Router;
use axum::routing::{MethodRouter, get, post};
use ports::outbound::Clock;
use tokio_util::sync::CancellationToken;
use web::views::participants::Participants;

use endpoint::Endpoint;
use schema::Ports;
use web_socket::WebSockets;

pub use introspection::Introspection;
pub use request::MAX_BODY_BYTES;

pub struct GraphqlState {
    /// Use cases of keys and plans.
    pub keys: Arc<KeyService>,
    /// Reports: usage, requests, banks, accounts and the audit log.
    pub insights: Arc<InsightsService>,
    /// Use cases of stored lookups.
    pub lookups: Arc<PersonLookupService>,
    pub batches: Arc<BatchService>,
    pub own_accounts: Arc<OwnAccountService>,
    pub webhooks: Arc<WebhookService>,
    pub clock: Arc<dyn Clock>,
    /// Catalogue of SPEI participants.
    pub participants: Arc<SharedCatalogue>,
    /// Dependencies of the request middleware.
    pub request_layer: Arc<web::RequestLayer>,
    /// Session check and cross-site guard.
    pub guard: Arc<web::SessionGuard>,
    pub introspection: Introspection,
    /// Canceled when the server shuts down, which ends subscriptions.
    pub stopping: CancellationToken,
}

/// `POST /graphql` and the WebSocket `GET /graphql/ws`, at the root and under `/api`, with the request
/// middleware and the session guard.
pub fn router(state: GraphqlState) -> Router {
    let ports = Ports {
        keys: state.keys,
        insights: state.insights,
        lookups: state.lookups,
        batches: state.batches,
        own_accounts: state.own_accounts,
        webhooks: state.webhooks,
        participants: Participants {
            catalogue: state.participants,
            clock: state.clock,
        },
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

/// Routes several paths to one handler.
fn routes(paths: [&'static str; 2], method: &MethodRouter) -> Router {
    let add = |routes: Router, path| routes.route(path, method.clone());
    paths.into_iter().fold(Router::new(), add)
}

/// The schema definition (SDL), which the repository keeps as `schema.graphql`.
pub fn schema_sdl() -> String {
    schema::sdl()
}
