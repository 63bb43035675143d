//! Middleware that completes a request after its client disconnects.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use web::RequestLayer;

/// Runs a mutation to completion after a disconnect, since the limiter must be told of every change that
/// the store commits.
pub(crate) async fn complete(
    State(request_layer): State<Arc<RequestLayer>>,
    request: Request,
    next: Next,
) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let completed = request_layer.tasks.spawn(next.run(request)).await;
    // Only the runtime's shutdown cancels the task, and then no client waits for the response.
    completed.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
