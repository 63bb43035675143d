//! Inbound adapter: the REST API of the contract.
//!
//! HTTP becomes calls of [`application`], and what they answer becomes HTTP; no rule of the
//! business lives here. [`router`] serves proofs, participants and operations, [`people_router`] keys, files of own lookups and admins,
//! each at the root and under `/api`; a gateway without sign-in has the first alone.
//!
//! Each endpoint is one file, with its route, description and bodies: `proofs/`, `checks/`,
//! `lookups/`, `batches/`, `own_lookups/`,
//! `participants/`, `keys/`, `webhooks/`, `admin/` and `operations/`. `pipeline` serves all proof requests, `people` holds what the routes under a
//! session share, `openapi` what the descriptions do.

mod admin;
mod batches;
mod caller;
mod checks;
mod completion;
mod ending;
mod failure;
mod files;
mod headers;
mod json;
mod keys;
mod lookups;
mod openapi;
mod operations;
mod own_lookups;
mod participants;
mod people;
mod pipeline;
mod proofs;
mod unknown_names;
mod webhooks;

use std::sync::Arc;

use application::{
    BatchService, HealthService, LookupService, ProofRequestService, SharedCatalogue, SpawnTask,
};
use axum::Router;
use axum::extract::{Extension, MatchedPath, Request};
use axum::middleware::from_fn_with_state;
use ports::outbound::ZipReader;
use tokio::runtime::Handle;
use tower::ServiceExt as _;
use web::{RequestLayer, SessionGuard};

use batches::Uploads;
pub use ending::{Ending, ProofMetricsSink};
pub use openapi::openapi_json;
pub use people::people_router;
pub use people::state::PeopleState;
pub use web::BODY_DEADLINE;

/// Largest body of JSON that is read: a request has six short fields, and needs less than a KiB.
pub const MAX_BODY_BYTES: usize = 16 * 1024;

/// Serves every route under `/api` as well.
fn with_alias<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    Router::new().merge(router.clone()).nest("/api", router)
}

/// Dependencies of the routes.
pub struct RestState {
    /// Serves proof requests.
    pub proof_requests: Arc<ProofRequestService>,
    /// Starts the tasks of these requests, which outlive their callers.
    pub spawn: SpawnTask,
    /// Reads stored lookups.
    pub lookups: Arc<LookupService>,
    /// A runtime for work that may wait: tables, archives and downloads.
    pub low_priority: Handle,
    /// Creates and reads batches.
    pub batches: Arc<BatchService>,
    /// Batches of people with a session; `None` on a gateway without sign-in.
    pub people_batches: Option<PeopleBatches>,
    /// Reads the ZIP files that callers import.
    pub zips: Arc<dyn ZipReader>,
    /// Rows that a batch may have.
    pub max_batch_rows: u32,
    /// Says whether we can serve.
    pub health: Arc<HealthService>,
    /// Participants that `emisor` and `receptor` may name.
    pub participants: Arc<SharedCatalogue>,
    /// For ids, dates and durations.
    pub request_layer: Arc<RequestLayer>,
    /// Metrics of proof requests.
    pub metrics_sink: Arc<dyn ProofMetricsSink>,
}

/// Batches of people with a session.
pub struct PeopleBatches {
    /// Creates and reads them.
    pub batches: Arc<BatchService>,
    /// Session check and cross-site guard.
    pub guard: Arc<SessionGuard>,
}

/// All routes.
///
/// The server must put [`web::CallerAddress`] into each request's extensions; without it all callers
/// share one address.
pub fn router(state: RestState) -> Router {
    let request_layer = Arc::clone(&state.request_layer);
    let state = Arc::new(state);

    let (description, _) = operations::description().split_for_parts();
    let (participants, _) = participants::routes().split_for_parts();
    let (lookups, _) = lookups::items().split_for_parts();
    let (batches, _) = batches::routes().split_for_parts();
    let completing = from_fn_with_state(Arc::clone(&request_layer), completion::complete);
    let batches = batches
        .layer(completing)
        .layer(Extension(Uploads::default()));
    let batches = match &state.people_batches {
        Some(people) => {
            // Before the guard, which answers preflights.
            let batches = batches.method_not_allowed_fallback(web::method_not_allowed);
            web::guard_without_key(batches, &people.guard, caller::shows_key)
        }
        None => batches,
    };
    let public = description
        .merge(participants)
        .merge(lookups)
        .merge(batches);
    let operations = with_alias(public.merge(operations::docs::routes()))
        .method_not_allowed_fallback(web::method_not_allowed)
        .fallback(web::route_not_found)
        .with_state(Arc::clone(&state));
    let (probes, _) = operations::probes().split_for_parts();
    let probes = with_alias(probes)
        .method_not_allowed_fallback(web::method_not_allowed)
        .with_state(Arc::clone(&state));

    // A proof request observes itself, for it outlives its caller.
    let refusing = web::observe(
        Router::new().fallback(web::method_not_allowed),
        &request_layer,
    );
    let (proofs, _) = proofs::routes().merge(checks::routes()).split_for_parts();
    let proofs = with_alias(proofs)
        .method_not_allowed_fallback(move |request: Request| refusing.clone().oneshot(request))
        .with_state(Arc::clone(&state));
    // So does the creation of a lookup, but not the list, which has the same path.
    let (list, _) = lookups::list().split_for_parts();
    let list = with_alias(list)
        .method_not_allowed_fallback(lookups::method_not_allowed)
        .with_state(Arc::clone(&state));
    let list = web::observe(list, &request_layer);
    let (creation, _) = lookups::creation().split_for_parts();
    let creation = with_alias(creation)
        .method_not_allowed_fallback(move |mut request: Request| {
            // Or the list's router would add its path to the one that has been matched.
            request.extensions_mut().remove::<MatchedPath>();
            list.clone().oneshot(request)
        })
        .with_state(state);
    web::observe(operations, &request_layer)
        .merge(web::observe_untraced(probes, &request_layer))
        .merge(proofs)
        .merge(creation)
}
