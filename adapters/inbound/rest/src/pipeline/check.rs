//! HTTP handling of the check of a file.

use std::sync::Arc;

use application::{BankComparison, CheckRequest, CheckedUpload, SealValidation};
use axum::extract::Request;
use axum::response::Response;
use domain::outcome::Endpoint;
use domain::proofs::check::MAX_FILE_BYTES;
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;
use web::Problem;

use super::session::detached_with_session;
use super::{Call, Head};
use crate::charged_key::KeyParameter;
use crate::proofs::check::views;
use crate::{RestState, headers};

/// Parameters of the request.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CheckParameters {
    /// `true` looks the payment up at the bank, as the other endpoints do, and compares the proofs: one
    /// more check, `portal`. The bank's failures are those of the other endpoints.
    #[param(default = false)]
    portal: Option<bool>,
    /// `true` sends the XML to the central bank's own validator of seals, if no key of its certificate is known here
    /// and it is younger than 45 banking days; the member `banxico` tells its verdict, or why there is none. With a
    /// `test` key it is the sandbox bank's validator.
    #[param(default = false)]
    banxico: Option<bool>,
}

/// Handles a request that checks the file in its body.
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
    let question = body.file(
        &head,
        MAX_FILE_BYTES,
        parameters,
        |(bank_comparison, seal_validation), file| {
            Ok(CheckRequest {
                file,
                bank_comparison,
                seal_validation,
            })
        },
    );
    let served = head.state.proof_requests.check(admission, question);
    let (ended, answer) = head.opened(served.await);
    let response = match answer {
        Ok(Ok(checked)) => head.checked(&checked),
        Ok(Err(error)) => head.no_proof(&error, &ended),
        Err(response) => response,
    };
    head.finish((sender, body), response, &ended).await;
}

/// Parses the parameters: whether the bank is asked for the payment, and its validator about the seal.
fn parameters(query: Option<&str>) -> Result<(BankComparison, SealValidation), Problem> {
    let (query, _) = KeyParameter::beside::<CheckParameters>(query)?;
    let bank_comparison = match query.portal {
        Some(true) => BankComparison::Wanted,
        Some(false) | None => BankComparison::Skipped,
    };
    let seal_validation = match query.banxico {
        Some(true) => SealValidation::Wanted,
        Some(false) | None => SealValidation::Skipped,
    };
    Ok((bank_comparison, seal_validation))
}

impl Head {
    fn checked(&self, checked: &CheckedUpload) -> Response {
        let language = self.context.language;
        let view = match views::CheckAnswer::new(checked, language) {
            Ok(view) => view,
            Err(problem) => return problem.response(language),
        };
        let json = match serde_json::to_string(&view) {
            Ok(json) => json,
            Err(error) => return self.not_encoded(&error),
        };
        let mut response = web::json_response(json);
        if let Some(outcome) = checked.outcome() {
            headers::put_seal(response.headers_mut(), outcome.into());
        }
        response
    }
}
