//! Endpoints that answer with a proof.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use domain::outcome::Endpoint;
use domain::proofs::file::Format;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::schemas::{
    ParsedProofRequest, ParsedProofRequestAuto, PdfFile, ProofRequest, ProofRequestAuto, XmlFile,
    ZipFile,
};
use super::views::{Envelope, ParsedProof};
use crate::RestState;
use crate::files::Encoding;
use crate::openapi::responses::{BadRequest, BadRequestAuto};
use crate::pipeline;

pub(crate) fn routes() -> OpenApiRouter<Arc<RestState>> {
    OpenApiRouter::new()
        .routes(routes!(xml_auto))
        .routes(routes!(xml))
        .routes(routes!(pdf))
        .routes(routes!(pdf_auto))
        .routes(routes!(zip_auto))
        .routes(routes!(base64))
        .routes(routes!(xml_base64))
        .routes(routes!(json_auto))
        .routes(routes!(json))
}

/// The proof as XML; missing banks are inferred
#[utoipa::path(
    post,
    path = "/v1/cep/xml_auto",
    operation_id = "xml_auto",
    tag = "proofs",
    request_body(content = ProofRequestAuto, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The sealed proof, the bank's bytes untouched.",
            body = inline(XmlFile), content_type = "application/xml",
        ),
        BadRequestAuto,
    ),
)]
async fn xml_auto(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(
        state,
        Endpoint::XmlAuto,
        Encoding::File(Format::Xml),
        request,
    )
    .await
}

/// The proof as XML
#[utoipa::path(
    post,
    path = "/v1/cep/xml",
    operation_id = "xml",
    tag = "proofs",
    request_body(content = ProofRequest, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The sealed proof, the bank's bytes untouched.",
            body = inline(XmlFile), content_type = "application/xml",
        ),
        BadRequest,
    ),
)]
async fn xml(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(state, Endpoint::Xml, Encoding::File(Format::Xml), request).await
}

/// The proof as PDF
#[utoipa::path(
    post,
    path = "/v1/cep/pdf",
    operation_id = "pdf",
    tag = "proofs",
    request_body(content = ProofRequest, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The proof as the central bank lays it out.",
            body = inline(PdfFile), content_type = "application/pdf",
        ),
        BadRequest,
    ),
)]
async fn pdf(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(state, Endpoint::Pdf, Encoding::File(Format::Pdf), request).await
}

/// The proof as PDF; missing banks are inferred
#[utoipa::path(
    post,
    path = "/v1/cep/pdf_auto",
    operation_id = "pdf_auto",
    tag = "proofs",
    request_body(content = ProofRequestAuto, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The proof as the central bank lays it out.",
            body = inline(PdfFile), content_type = "application/pdf",
        ),
        BadRequestAuto,
    ),
)]
async fn pdf_auto(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(
        state,
        Endpoint::PdfAuto,
        Encoding::File(Format::Pdf),
        request,
    )
    .await
}

/// The proof as XML and PDF in a ZIP; missing banks are inferred
#[utoipa::path(
    post,
    path = "/v1/cep/zip_auto",
    operation_id = "zip_auto",
    tag = "proofs",
    request_body(content = ProofRequestAuto, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "Two files, `CEP-….xml` and `CEP-….pdf`.",
            body = inline(ZipFile), content_type = "application/zip",
        ),
        BadRequestAuto,
    ),
)]
async fn zip_auto(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(state, Endpoint::ZipAuto, Encoding::Archive, request).await
}

/// The proof as PDF, in base64 within JSON
#[utoipa::path(
    post,
    path = "/v1/cep/base64",
    operation_id = "base64",
    tag = "proofs",
    request_body(content = ProofRequest, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The PDF in an envelope.",
            body = Envelope,
        ),
        BadRequest,
    ),
)]
async fn base64(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(
        state,
        Endpoint::Base64,
        Encoding::Envelope(Format::Pdf),
        request,
    )
    .await
}

/// The proof as XML, in base64 within JSON
#[utoipa::path(
    post,
    path = "/v1/cep/xml_base64",
    operation_id = "xml_base64",
    tag = "proofs",
    request_body(content = ProofRequest, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The XML in an envelope.",
            body = Envelope,
        ),
        BadRequest,
    ),
)]
async fn xml_base64(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(
        state,
        Endpoint::XmlBase64,
        Encoding::Envelope(Format::Xml),
        request,
    )
    .await
}

/// The fields of the proof, its seal, and its earlier deliveries; missing banks are inferred
#[utoipa::path(
    post,
    path = "/v1/cep/json_auto",
    operation_id = "json_auto",
    tag = "proofs",
    request_body(content = ParsedProofRequestAuto, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The content of the proof.",
            body = ParsedProof,
        ),
        BadRequestAuto,
    ),
)]
async fn json_auto(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(state, Endpoint::JsonAuto, Encoding::Fields, request).await
}

/// The fields of the proof, its seal, and its earlier deliveries
#[utoipa::path(
    post,
    path = "/v1/cep/json",
    operation_id = "json",
    tag = "proofs",
    request_body(content = ParsedProofRequest, description = crate::openapi::bodies::LENIENT),
    responses(
        (
            status = 200,
            description = "The content of the proof.",
            body = ParsedProof,
        ),
        BadRequest,
    ),
)]
async fn json(State(state): State<Arc<RestState>>, request: Request) -> Response {
    pipeline::answer(state, Endpoint::Json, Encoding::Fields, request).await
}
