//! Handlers that create, list, change and remove webhooks.

use axum::http::StatusCode;
use axum::response::Response;
use domain::webhooks::EndpointId;
use web::Problem;
use web::views::webhooks::Webhook;

use super::body::{self, NewWebhookBody, WebhookChangeBody};
use super::views::CreatedWebhookBody;
use crate::openapi::responses::{Conflict, FaultyInput, LargeBody, NoJson, NoSuchThing, SlowBody};
use crate::people::request::PersonRequest;

/// Your webhooks
#[utoipa::path(
    get,
    path = "/webhooks",
    operation_id = "listWebhooks",
    tag = "webhooks",
    responses(
        (status = 200, description = "All of them, oldest first.", body = Vec<Webhook>),
        FaultyInput,
    ),
)]
pub(super) async fn list(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let found = request.webhooks().list(&request.caller).await;
    let found = found.map_err(|error| request.webhook_problem(&error))?;
    let views: Vec<_> = found.iter().map(Webhook::from).collect();
    request.json(StatusCode::OK, &views)
}

/// Add a webhook
///
/// An account has at most 10. Messages are signed as Standard Webhooks 1.0.0 describes it; the secret is
/// in this answer and nowhere else ever after.
#[utoipa::path(
    post,
    path = "/webhooks",
    operation_id = "createWebhook",
    tag = "webhooks",
    request_body(content = NewWebhookBody, description = crate::openapi::bodies::STRICT),
    responses(
        (status = 201, description = "The webhook, and its secret, once.", body = CreatedWebhookBody),
        FaultyInput, Conflict, SlowBody, LargeBody, NoJson,
    ),
)]
pub(super) async fn create(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let new = body::new(&request.raw_body().await?)?;
    let created = request.webhooks().create(&request.caller, new).await;
    let created = created.map_err(|error| request.webhook_problem(&error))?;
    request.json(StatusCode::CREATED, &CreatedWebhookBody::new(&created))
}

/// A webhook of yours
#[utoipa::path(
    get,
    path = "/webhooks/{id}",
    operation_id = "getWebhook",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook.", format = "uuid")),
    responses(
        (status = 200, description = "The webhook.", body = Webhook),
        FaultyInput, NoSuchThing,
    ),
)]
pub(super) async fn find(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = EndpointId(request.id()?);
    let found = request.webhooks().find(&request.caller, id).await;
    let found = found.map_err(|error| request.webhook_problem(&error))?;
    request.json(StatusCode::OK, &Webhook::from(&found))
}

/// Change a webhook
#[utoipa::path(
    patch,
    path = "/webhooks/{id}",
    operation_id = "changeWebhook",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook.", format = "uuid")),
    request_body(content = WebhookChangeBody, description = crate::openapi::bodies::STRICT),
    responses(
        (status = 200, description = "The webhook, changed.", body = Webhook),
        FaultyInput, NoSuchThing, SlowBody, LargeBody, NoJson,
    ),
)]
pub(super) async fn change(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = EndpointId(request.id()?);
    let change = body::change(&request.raw_body().await?)?;
    let changed = request.webhooks().change(&request.caller, id, change).await;
    let changed = changed.map_err(|error| request.webhook_problem(&error))?;
    request.json(StatusCode::OK, &Webhook::from(&changed))
}

/// Remove a webhook, with all that was sent to it
#[utoipa::path(
    delete,
    path = "/webhooks/{id}",
    operation_id = "removeWebhook",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook.", format = "uuid")),
    responses(
        (status = 200, description = "The webhook as it was.", body = Webhook),
        FaultyInput, NoSuchThing,
    ),
)]
pub(super) async fn remove(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = EndpointId(request.id()?);
    let found = request.webhooks().find(&request.caller, id).await;
    let found = found.map_err(|error| request.webhook_problem(&error))?;
    let removed = request.webhooks().remove(&request.caller, id).await;
    removed.map_err(|error| request.webhook_problem(&error))?;
    request.json(StatusCode::OK, &Webhook::from(&found))
}

/// Give a webhook a new secret
///
/// For 24 hours messages are signed with both, so that receivers can change at any time.
#[utoipa::path(
    post,
    path = "/webhooks/{id}/secret",
    operation_id = "rotateWebhookSecret",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook.", format = "uuid")),
    responses(
        (status = 200, description = "The webhook, and its new secret, once.", body = CreatedWebhookBody),
        FaultyInput, NoSuchThing, NoJson,
    ),
)]
pub(super) async fn rotate_secret(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = EndpointId(request.id()?);
    let rotated = request.webhooks().rotate_secret(&request.caller, id).await;
    let rotated = rotated.map_err(|error| request.webhook_problem(&error))?;
    request.json(StatusCode::OK, &CreatedWebhookBody::new(&rotated))
}
