//! Conversion of results to responses.

use application::{FetchError, Reply, Served};
use axum::response::Response;
use web::{Problem, RequestContext};

use super::Head;
use super::ended::Ended;
use crate::failure;

impl Head {
    /// Separates the answer from the data for headers and log. When there is no answer, it returns the error
    /// response.
    pub(super) fn opened<A>(&self, mut served: Served<A, Problem>) -> (Ended, Result<A, Response>) {
        let ended = Ended::of(&mut served);
        let problem = match served {
            Served::Refused(error) => failure::of_refusal(&error),
            Served::NotRepeated(not_repeated) => failure::of_repeat(not_repeated.error),
            Served::Answered(answered) => match answered.reply {
                Reply::Answer(answer) => return (ended, Ok(answer)),
                Reply::Faulty(problem) => problem,
                Reply::Failed => Problem::internal(&self.context.request_id),
                Reply::NotDurable(error) => {
                    failure::of_not_durable(&error, &self.context.request_id)
                }
            },
        };
        (ended, Err(problem.response(self.context.language)))
    }

    /// The response when there is no proof.
    pub(super) fn no_proof(&self, error: &FetchError, ended: &Ended) -> Response {
        failure::log_cause(error, &self.context.request_id);
        let inferred = ended.details.as_ref().map(|details| &details.inferred);
        let inferred = inferred.cloned().unwrap_or_default();
        let problem = failure::of_fetch(error, &inferred, self.endpoint);
        problem.response(self.context.language)
    }

    /// The response when serialising the answer failed.
    pub(super) fn not_encoded(&self, error: &dyn std::error::Error) -> Response {
        let RequestContext {
            request_id,
            language,
            ..
        } = &self.context;
        tracing::error!(%request_id, %error, "an answer can't be written");
        Problem::internal(request_id).response(*language)
    }
}
