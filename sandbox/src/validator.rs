//! The central bank's validator of seals: one route, to which a form with one file is posted.

use std::convert::Infallible;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use bytes::Bytes;
use domain::proofs::Proof;
use futures::stream;
use multer::Multipart;

use crate::answers::{chunked_page, page, server_error};
use crate::pages::{self, Validation};
use crate::seal::SealCertificate;

/// Path of the route.
pub const VALIDATOR_PATH: &str = "/validador-cep-spei/Validador";

/// Maximum size of a form in bytes; the validator's page offers 1 MiB a file.
const MAX_FORM_BYTES: usize = 1024 * 1024 + 16 * 1024;

pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route(VALIDATOR_PATH, post(validate))
        .layer(DefaultBodyLimit::max(MAX_FORM_BYTES))
}

/// Answers by the seal, and to some amounts as no client should accept. A file that isn't the sandbox's is an
/// error, because it may be a real one.
#[expect(
    clippy::inconsistent_digit_grouping,
    reason = "pesos_centavos, as they are written in the form"
)]
async fn validate(headers: HeaderMap, body: Bytes) -> Response {
    let unreadable = || {
        (
            StatusCode::INTERNAL_SERVER_ERROR,
            page(pages::VALIDATION_FAILED),
        )
    };
    let Some((name, file)) = sent_file(&headers, body).await else {
        return unreadable().into_response();
    };
    let Ok(proof) = Proof::read(&file) else {
        return unreadable().into_response();
    };
    let Some(is_valid) = verdict(&proof) else {
        return unreadable().into_response();
    };
    let whole = Validation {
        name: &name,
        is_valid,
        is_counted_valid: is_valid,
        chain: proof.chain.as_str(),
        seal: &proof.seal,
        certificate: &proof.certificate_number,
    };
    let answered = match proof.centavos() {
        600_03 => return server_error(),
        600_04 => return page(pages::UNSEEN),
        600_05 => Validation {
            name: "another.xml",
            ..whole
        },
        600_06 => Validation {
            is_counted_valid: !is_valid,
            ..whole
        },
        600_07 => Validation {
            seal: &SealCertificate::Known.seal("another file"),
            ..whole
        },
        _ => whole,
    };
    chunked_page(pages::validation(&answered))
}

/// Name and content of the file of a form.
async fn sent_file(headers: &HeaderMap, body: Bytes) -> Option<(String, Bytes)> {
    let declared = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let boundary = multer::parse_boundary(declared).ok()?;
    let body = stream::iter([Ok::<_, Infallible>(body)]);
    let mut form = Multipart::new(body, boundary);
    let field = form.next_field().await.ok()??;
    if field.name() != Some("file[0]") {
        return None;
    }
    let name = field.file_name()?.to_owned();
    Some((name, field.bytes().await.ok()?))
}

/// Returns `true` if the certificate's bank made the seal; its signatures of one text are all the same. `None` for
/// a certificate that isn't the sandbox's.
fn verdict(proof: &Proof) -> Option<bool> {
    let certificates = [SealCertificate::Known, SealCertificate::Unknown];
    let named = certificates
        .into_iter()
        .find(|certificate| certificate.number() == proof.chain.certificate_number())?;
    Some(named.seal(proof.chain.signed_text()) == proof.seal)
}
