//! Inbound adapter: the GraphQL API for dashboard front ends.
//!
//! Resolvers call [`ports::inbound`] and convert its results; no business rule lives here. One
//! request passes `endpoint`: `request` reads the body with async-graphql's extractor, `nesting`
//! checks the text before it is parsed, `operation` selects what is executed, `limits` checks its
//! size, `execution` runs it, and `response` renders result or error in the negotiated
//! `media_type`. The schema is in `schema`. Errors are entries of the
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
mod request;
mod request_error;
mod response;
mod schema;
mod text;

use std::sync::Arc;

use axum::Router;
use axum::routing::post;
use ports::inbound::{Insights, KeyAdministration, Participants, PersonLookups};
use ports::outbound::Clock;

use endpoint::Endpoint;
use schema::Ports;

pub use introspection::Introspection;
pub use request::MAX_BODY_BYTES;

/// Paths at which the API is served, at the root and under `/api` as every route is.
const PATHS: [&str; 2] = ["/graphql", "/api/graphql"];

/// Dependencies of the API.
pub struct GraphqlState {
    /// Keys and plans.
    pub keys: Arc<dyn KeyAdministration>,
    /// Usage, requests, banks, accounts and the audit log.
    pub insights: Arc<dyn Insights>,
    /// Stored lookups.
    pub lookups: Arc<dyn PersonLookups>,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Participants of SPEI.
    pub participants: Arc<dyn Participants>,
    /// Request ids, the log, and tasks that outlive their request.
    pub request_layer: Arc<web::RequestLayer>,
    /// Session check and cross-site guard.
    pub guard: Arc<web::SessionGuard>,
    /// Introspection switch.
    pub introspection: Introspection,
}

/// `POST /graphql`, at the root and under `/api`, observed and guarded.
pub fn router(state: GraphqlState) -> Router {
    let ports = Ports {
        keys: state.keys,
        insights: state.insights,
        lookups: state.lookups,
        clock: state.clock,
        participants: state.participants,
    };
    let endpoint = Arc::new(Endpoint {
        schema: schema::build(ports, state.introspection),
        introspection: state.introspection,
        request_layer: Arc::clone(&state.request_layer),
    });
    let method = post(endpoint::serve).fallback(endpoint::method_not_allowed);
    let routes = PATHS.into_iter().fold(Router::new(), |routes, path| {
        routes.route(path, method.clone())
    });
    let guarded = web::guard(routes.with_state(endpoint), &state.guard);
    web::observe(guarded, &state.request_layer)
}

/// Returns the schema definition (SDL), as it is checked in as `schema.graphql`.
pub fn schema_sdl() -> String {
    schema::sdl()
}
