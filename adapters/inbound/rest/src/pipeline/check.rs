//! The check of a file over HTTP.

use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::Request;
use axum::response::Response;
use domain::check::MAX_FILE_BYTES;
use domain::inference::InferredBanks;
use domain::outcome::Endpoint;
use ports::Cause;
use ports::inbound::{
    CheckExchange, CheckRequest, CheckedUpload, FetchError, InvalidRequest, RepeatableExchange,
    ServedRequest,
};
use web::Problem;

use super::{Call, Head, respond};
use crate::checks::{self, views};
use crate::failure;
use crate::{RestState, headers};

/// Answers a request with the checks of the file that it sends.
pub(crate) async fn answer(
    state: Arc<RestState>,
    endpoint: Endpoint,
    request: Request,
) -> Response {
    respond(&state, endpoint, request, |requests, admission, call| {
        let exchange = Exchange {
            call,
            encoded: None,
        };
        requests.check(admission, Box::new(exchange));
    })
    .await
}

/// A request with a file, over HTTP.
struct Exchange {
    call: Call,
    /// The answer, until the request is settled.
    encoded: Option<Response>,
}

impl Exchange {
    fn refuse(&mut self, problem: &Problem) {
        self.encoded = Some(problem.response(self.call.head.context.language));
    }
}

#[async_trait]
impl RepeatableExchange for Exchange {
    async fn content(&mut self) -> Option<Vec<u8>> {
        self.call.content().await
    }
}

#[async_trait]
impl CheckExchange for Exchange {
    async fn decode(&mut self) -> Result<CheckRequest, InvalidRequest> {
        let Call {
            headers,
            query,
            upload,
            fault,
            ..
        } = &mut self.call;
        let headers = std::mem::take(headers);
        let read = async {
            if let Some(problem) = fault.take() {
                return Err(problem);
            }
            let bank_comparison = checks::bank_comparison(query.as_deref())?;
            let file = upload.read_file(&headers, MAX_FILE_BYTES).await?;
            Ok(CheckRequest {
                file,
                bank_comparison,
            })
        };
        let read = read.await;
        read.map_err(|problem| {
            self.refuse(&problem);
            InvalidRequest
        })
    }

    async fn encode(&mut self, result: Result<CheckedUpload, FetchError>) -> Result<(), Cause> {
        let Head {
            context, endpoint, ..
        } = &self.call.head;
        let checked = match result {
            Ok(checked) => checked,
            Err(error) => {
                failure::log_cause(&error, &context.request_id);
                let inferred = InferredBanks::default();
                let problem = failure::of_fetch(&error, &inferred, *endpoint);
                self.refuse(&problem);
                return Ok(());
            }
        };
        let outcome = checked.outcome();
        match views::CheckAnswer::new(&checked, context.language) {
            Ok(view) => {
                let json =
                    serde_json::to_string(&view).map_err(|error| Arc::new(error) as Cause)?;
                let mut response = web::json_response(json);
                if let Some(outcome) = outcome {
                    headers::put_seal(response.headers_mut(), outcome.into());
                }
                self.encoded = Some(response);
            }
            Err(problem) => self.refuse(&problem),
        }
        Ok(())
    }

    async fn finish(self: Box<Self>, served: ServedRequest) {
        let Self { call, encoded } = *self;
        call.finish(&served, encoded).await;
    }
}
