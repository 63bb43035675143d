//! Inbound adapter: the REST API.
//!
//! Handlers convert HTTP requests to calls of [`application`], and its results to HTTP responses; business
//! rules are in the application. [`router`] serves proofs, lookups, batches, participants and operations.
//! [`people_router`] serves the routes that need a session, and is absent on a gateway without sign-in. Both
//! serve each route at the root and under `/api`.
//!
//! Each endpoint is one file with its route, description and bodies, in `lookups/`, `batches/`,
//! `own_lookups/`, `participants/`, `keys/`, `webhooks/`, `admin/` and `operations/`; those that answer with a
//! proof share `proofs/endpoints.rs`. `pipeline` serves all proof requests, `people` is shared by the routes
//! with a session, and `openapi` builds the API description.

mod accounts;
mod admin;
mod batches;
mod caller;
mod charged_key;
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
mod participants;
mod people;
mod pipeline;
mod proofs;
mod receipts;
mod unknown_names;
mod webhooks;

use std::sync::Arc;

use application::{
    AccountKeys, BatchService, HealthService, LookupService, ProofRequestService, SharedCatalogue,
    SpawnTask,
};
use axum::Router;
use axum::extract::{Extension, MatchedPath, Request};
use axum::middleware::from_fn_with_state;
use ports::outbound::{WorkbookReader, ZipReader};
use tokio::runtime::Handle;
use tower::ServiceExt as _;
use web::{BodyMemory, RequestLayer, SessionGuard};

use batches::Uploads;
pub use ending::{Ending, ProofMetricsSink};
pub use openapi::openapi_json;
pub use people::people_router;
pub use people::state::PeopleState;
pub use web::BODY_DEADLINE;

/// Maximum bytes of a JSON body. A proof request has six short fields, and needs less than 1 KiB.
pub const MAX_BODY_BYTES: usize = 16 * 1024;

/// Adds every route under `/api` as well.
fn with_alias<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    Router::new().merge(router.clone()).nest("/api", router)
}

/// Memory for the files of all callers that are checked or read at the same time.
pub const BYTES_OF_FILES: usize = 128 * 1024 * 1024;

/// Dependencies of [`router`].
pub struct RestState {
    /// Use cases of proof requests.
    pub proof_requests: Arc<ProofRequestService>,
    /// Spawns the tasks of proof requests, which continue after a client disconnects.
    pub spawn: SpawnTask,
    /// Use cases of stored lookups.
    pub lookups: Arc<LookupService>,
    /// Runtime for low-priority work: tables, ZIP files and downloads.
    pub low_priority: Handle,
    /// Use cases of batches for callers with an API key.
    pub batches: Arc<BatchService>,
    /// What callers with a session need; `None` on a gateway without sign-in.
    pub people: Option<SessionAccess>,
    /// Reader of imported ZIP files.
    pub zips: Arc<dyn ZipReader>,
    pub workbooks: Arc<dyn WorkbookReader>,
    /// Maximum rows of a batch.
    pub max_batch_rows: u32,
    /// Use case of the readiness check.
    pub health: Arc<HealthService>,
    /// Memory for files that are checked or read as receipts: [`BYTES_OF_FILES`].
    pub file_memory: BodyMemory,
    /// Catalogue of participants for `emisor` and `receptor`.
    pub participants: Arc<SharedCatalogue>,
    /// Dependencies of the request middleware.
    pub request_layer: Arc<RequestLayer>,
    /// Receiver of the metrics of proof requests.
    pub metrics_sink: Arc<dyn ProofMetricsSink>,
}

/// Dependencies of routes that accept a session in place of an API key.
pub struct SessionAccess {
    /// Use cases of batches.
    pub batches: Arc<BatchService>,
    /// Keys of people's accounts, one of which is charged.
    pub keys: Arc<AccountKeys>,
    /// Session check and cross-site guard.
    pub guard: Arc<SessionGuard>,
}

/// All routes except those of [`people_router`].
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
    let batches = match &state.people {
        Some(people) => {
            // Added before the guard, so that the guard can answer preflights.
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

    // Proof requests aren't wrapped by `web::observe`: their own tasks log them, since they may outlive the
    // client's connection.
    let refusing = Router::new().fallback(web::method_not_allowed);
    let (proofs, _) = proofs::routes().split_for_parts();
    let proofs = refusing_others(proofs, refusing.clone(), &request_layer);
    let (files, _) = proofs::check::routes()
        .merge(receipts::routes())
        .split_for_parts();
    let files = refusing_others(files, with_preflights(refusing, &state), &request_layer);
    let proofs = proofs.merge(files).with_state(Arc::clone(&state));
    // The same holds for the creation of a lookup, but not for the list, which has the same path.
    let (list, _) = lookups::list().split_for_parts();
    let list = with_alias(list)
        .method_not_allowed_fallback(lookups::method_not_allowed)
        .with_state(Arc::clone(&state));
    let list = web::observe(with_preflights(list, &state), &request_layer);
    let (creation, _) = lookups::creation().split_for_parts();
    let creation = with_alias(creation)
        .method_not_allowed_fallback(move |mut request: Request| {
            // Without this, the list's router would append its path to the matched one.
            request.extensions_mut().remove::<MatchedPath>();
            list.clone().oneshot(request)
        })
        .with_state(state);
    web::observe(operations, &request_layer)
        .merge(web::observe_untraced(probes, &request_layer))
        .merge(proofs)
        .merge(creation)
}

/// Routes whose requests with other methods are answered by another router.
fn refusing_others(
    routes: Router<Arc<RestState>>,
    others: Router,
    request_layer: &Arc<RequestLayer>,
) -> Router<Arc<RestState>> {
    let others = web::observe(others, request_layer);
    with_alias(routes)
        .method_not_allowed_fallback(move |request: Request| others.clone().oneshot(request))
}

/// Answers the preflights of pages that may send a session.
fn with_preflights(router: Router, state: &RestState) -> Router {
    match &state.people {
        Some(people) => web::guard_preflights(router, &people.guard),
        None => router,
    }
}
