//! HTTP handling of the reading of a receipt.

use std::sync::Arc;
use std::time::Duration;

use application::{FollowUp, Question, ReceiptAnswer, ReceiptRequest};
use axum::extract::Request;
use axum::http::header::LOCATION;
use axum::response::Response;
use bytes::Bytes;
use domain::outcome::Endpoint;
use domain::receipts::{MAX_FILE_BYTES, ReceiptFile, ReceiptFileError, UnreadType};
use futures::{FutureExt as _, TryFutureExt as _};
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;
use web::Problem;

use super::session::detached_with_session;
use super::{Call, Head};
use crate::charged_key::KeyParameter;
use crate::receipts::views::ReceiptBody;
use crate::{RestState, lookups};

/// `Retry-After` while others' pictures are read: recognition takes a second or two each.
const BUSY: Duration = Duration::from_secs(5);

/// Parameters of the request.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReceiptParameters {
    /// `true` stores a lookup if the receipt is certain; `lookup` of the answer is null if it isn't.
    #[param(default = false)]
    lookup: Option<bool>,
}

/// Handles a request that reads the receipt in its body.
pub(crate) async fn answer(
    state: Arc<RestState>,
    endpoint: Endpoint,
    request: Request,
) -> Response {
    detached_with_session(&state, endpoint, request, serve).await
}

async fn serve(call: Call) {
    let Call {
        head,
        mut body,
        admission,
        sender,
    } = call;
    let question = body.file(&head, MAX_FILE_BYTES, follow_up, receipt);
    let question = of_receipt(question);
    let served = head.state.proof_requests.read_receipt(admission, question);
    let (ended, answer) = head.opened(served.await);
    let response = match answer {
        Ok(Ok(answer)) => head.receipt(&answer),
        Ok(Err(error)) => problem(error).response(head.context.language),
        Err(response) => response,
    };
    head.finish((sender, body), response, &ended).await;
}

/// The question with the problems of a receipt in place of those of any file.
fn of_receipt<Q>(question: Question<'_, Q, Problem>) -> Question<'_, Q, Problem> {
    let problem = |problem| match problem {
        Problem::PayloadTooLarge { max_bytes } => Problem::LargeReceipt { max_bytes },
        Problem::UnsupportedFileType => Problem::EncodedReceipt,
        other => other,
    };
    Question {
        body: question.body.map_err(problem).boxed(),
        ..question
    }
}

/// The request for a file.
fn receipt(follow_up: FollowUp, file: Bytes) -> Result<ReceiptRequest, Problem> {
    let kind = ReceiptFile::of(&file).map_err(|error| match error {
        UnreadType::Empty => Problem::EmptyReceipt,
        UnreadType::Picture => Problem::UnsupportedPicture,
        UnreadType::Other => Problem::UnsupportedReceipt,
    })?;
    Ok(ReceiptRequest {
        file,
        kind,
        follow_up,
    })
}

/// Parses the parameter `lookup`.
fn follow_up(query: Option<&str>) -> Result<FollowUp, Problem> {
    let (query, _) = KeyParameter::beside::<ReceiptParameters>(query)?;
    Ok(match query.lookup {
        Some(true) => FollowUp::LookupIfCertain,
        Some(false) | None => FollowUp::None,
    })
}

fn problem(error: ReceiptFileError) -> Problem {
    match error {
        ReceiptFileError::Damaged => Problem::ReceiptDamaged,
        ReceiptFileError::Encrypted => Problem::ReceiptEncrypted,
        ReceiptFileError::TooLarge => Problem::ReceiptTooLarge,
        ReceiptFileError::TooSlow => Problem::ReceiptTooSlow,
        ReceiptFileError::NoRecognition => Problem::NoRecognition,
        ReceiptFileError::Busy => Problem::RecognitionBusy { retry_after: BUSY },
    }
}

impl Head {
    fn receipt(&self, answer: &ReceiptAnswer) -> Response {
        let body = ReceiptBody::new(answer, self.context.language);
        let json = match serde_json::to_string(&body) {
            Ok(json) => json,
            Err(error) => return self.not_encoded(&error),
        };
        let mut response = web::json_response(json);
        if let Some(lookup) = &answer.lookup {
            let location = lookups::location(lookup.id);
            response.headers_mut().insert(LOCATION, location);
        }
        response
    }
}
