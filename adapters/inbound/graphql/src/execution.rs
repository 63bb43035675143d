//! Execution with a deadline. A panic becomes an error response.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use async_graphql::parser::types::OperationType;
use async_graphql::{Request, Response};
use futures::FutureExt as _;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use web::RequestContext;
use web::problem::GraphqlProblem;

use crate::request_error::RequestError;
use crate::response::is_unexecuted;
use crate::schema::Schema;

/// Deadline of an execution.
pub(crate) const MAX_EXECUTION: Duration = Duration::from_secs(5);

/// Executes a request for up to [`MAX_EXECUTION`]. A mutation runs to completion even after a disconnect
/// or the deadline, since an interrupted one could leave a partial change.
pub(crate) async fn run(
    schema: &Schema,
    request: Request,
    operation: OperationType,
    tasks: &TaskTracker,
    context: &RequestContext,
) -> Result<Response, RequestError> {
    let schema = schema.clone();
    let execution = async move { schema.execute(request).await };
    let execution = AssertUnwindSafe(execution).catch_unwind();
    let finished = match operation {
        OperationType::Mutation => {
            let task = timeout(MAX_EXECUTION, tasks.spawn(execution)).await;
            task.map(|task| task.unwrap_or_else(|error| Err(Box::new(error))))
        }
        OperationType::Query | OperationType::Subscription => {
            timeout(MAX_EXECUTION, execution).await
        }
    };
    let Ok(executed) = finished else {
        let seconds = MAX_EXECUTION.as_secs();
        return Err(GraphqlProblem::Timeout { seconds }.into());
    };
    let response = executed.map_err(|_| {
        tracing::error!(request_id = %context.request_id, "a GraphQL request panicked");
        GraphqlProblem::Internal
    })?;
    if is_unexecuted(&response) {
        return Err(RequestError::of_validation(response.errors));
    }
    Ok(response)
}
