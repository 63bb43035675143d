//! Inbound adapter: the GraphQL API for dashboard front ends.
//!
//! A query becomes calls of [`ports::inbound`], and what they answer becomes its result; no rule of
//! the business lives here. The way of one request is in `endpoint`: its body (`ask`) and its text
//! (`nesting`) are checked before it is parsed; its variables are settled (`variables`), its size
//! (`limits`) and its values (`arguments`) checked before the library sees it, and what the library
//! answers is made whole (`complete`). `shape` is the schema that these go by. What is offered is
//! in `schema`; failures become words in `answer`, and nowhere else.

mod answer;
mod arguments;
mod ask;
mod code;
mod complete;
mod endpoint;
mod failure;
mod limits;
mod messages;
mod nesting;
mod refusal;
mod schema;
mod shape;
mod variables;

use std::sync::Arc;

use axum::Router;
use axum::routing::post;
use domain::participant::Catalogue;
use ports::inbound::{Insights, KeyAdministration};
use ports::outbound::Clock;

use endpoint::Endpoint;
use schema::Ports;
use shape::Shape;

/// Largest body that is read.
pub const MAX_BODY_BYTES: usize = 64 * 1024;

/// Paths at which the API is served, at the root and under `/api` as every route is.
const PATHS: [&str; 2] = ["/graphql", "/api/graphql"];

/// Whether the API describes itself to whoever has a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Introspection {
    /// It does, for tools.
    On,
    /// It doesn't.
    Off,
}

/// What the API stands on.
pub struct GraphqlState {
    /// Keys and plans.
    pub keys: Arc<dyn KeyAdministration>,
    /// Use, requests, banks, accounts and the audit log.
    pub insights: Arc<dyn Insights>,
    /// What "now" and "today" are.
    pub clock: Arc<dyn Clock>,
    /// The banks.
    pub catalogue: &'static Catalogue,
    /// Request ids, the log, and tasks that outlive their request.
    pub request_layer: Arc<web::RequestLayer>,
    /// Sessions, and who may ask from where.
    pub guard: Arc<web::SessionGuard>,
    /// Whether the API describes itself.
    pub introspection: Introspection,
}

/// `POST /graphql`, at the root and under `/api`, observed and guarded.
pub fn router(state: GraphqlState) -> Router {
    let ports = Ports {
        keys: state.keys,
        insights: state.insights,
        clock: state.clock,
        catalogue: state.catalogue,
    };
    let endpoint = Arc::new(Endpoint {
        schema: schema::over(ports, state.introspection),
        shape: Shape::of(&schema::sdl()),
        introspection: state.introspection,
        request_layer: Arc::clone(&state.request_layer),
    });
    let method = post(endpoint::answer).fallback(endpoint::method_not_allowed);
    let routes = PATHS.into_iter().fold(Router::new(), |routes, path| {
        routes.route(path, method.clone())
    });
    let guarded = web::guard(routes.with_state(endpoint), &state.guard);
    web::observe(guarded, &state.request_layer)
}

/// The schema in its own language, as it is checked in as `schema.graphql`.
pub fn schema_sdl() -> String {
    schema::sdl()
}
