//! Answers to requests, by how they were served.

use axum::response::Response;
use ports::inbound::{
    AcceptedRequest, AdmissionError, NotRepeated, RepeatedRequest, Reply, SettledRequest,
};
use web::{Problem, RequestContext};

use super::Head;
use crate::{failure, headers};

impl Head {
    /// The answer to a request that wasn't admitted.
    pub(super) fn refusal(&self, error: &AdmissionError) -> Response {
        let mut response = failure::of_refusal(error).response(self.context.language);
        if let AdmissionError::RateLimited { limit_status, .. }
        | AdmissionError::QuotaExceeded { limit_status, .. } = error
        {
            headers::put_standing(response.headers_mut(), limit_status);
        }
        response
    }

    /// The answer to a request that was admitted.
    pub(super) fn reply(&self, settled: &SettledRequest, encoded: Option<Response>) -> Response {
        let mut response = self.encoded(&settled.reply, encoded);
        headers::put_standing(response.headers_mut(), &settled.limit_status);
        headers::put_inferred(response.headers_mut(), &settled.details.inferred);
        response
    }

    /// The answer that was given before.
    pub(super) fn repeated(
        &self,
        repeated: &RepeatedRequest,
        encoded: Option<Response>,
    ) -> Response {
        let mut response = self.encoded(&repeated.reply, encoded);
        let headers = response.headers_mut();
        headers::put_standing(headers, &repeated.limit_status);
        headers::put_inferred(headers, &repeated.details.inferred);
        headers::put_replayed(headers);
        response
    }

    /// The answer to a request that doesn't get the first answer.
    pub(super) fn not_repeated(&self, not_repeated: &NotRepeated) -> Response {
        let problem = failure::of_repeat(not_repeated.error);
        let mut response = problem.response(self.context.language);
        headers::put_standing(response.headers_mut(), &not_repeated.limit_status);
        response
    }

    /// The encoded answer, or the problem why it can't leave.
    fn encoded(&self, reply: &Reply, encoded: Option<Response>) -> Response {
        let RequestContext {
            request_id,
            language,
            ..
        } = &self.context;
        let internal = || Problem::internal(request_id).response(*language);
        match reply {
            Reply::Encoded => encoded.unwrap_or_else(internal),
            Reply::Failed => internal(),
            Reply::NotDurable(error) => {
                failure::of_not_durable(error, request_id).response(*language)
            }
        }
    }

    /// The answer to a request whose lookup is stored.
    pub(super) fn accepted(
        &self,
        accepted: &AcceptedRequest,
        encoded: Option<Response>,
    ) -> Response {
        let mut response = self.encoded(&Reply::Encoded, encoded);
        headers::put_standing(response.headers_mut(), &accepted.limit_status);
        headers::put_inferred(response.headers_mut(), &accepted.details.inferred);
        response
    }
}
