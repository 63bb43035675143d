//! Handlers of the deliveries to a webhook.

use axum::http::StatusCode;
use axum::response::Response;
use domain::webhooks::{DeliveryId, EndpointId};
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;
use web::Problem;
use web::views::webhooks::WebhookDelivery;

use crate::openapi::responses::{Conflict, FaultyInput, NoJson, NoSuchThing};
use crate::people::listing::{self, DeliveryPage, Listing, Paging};
use crate::people::request::PersonRequest;

/// Parameters beside those of the page: none.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
struct Query {}

/// Send a test event
///
/// It is sent once, whichever events the webhook is told. Like every POST under a session the request
/// needs `Content-Type: application/json`, and no body.
#[utoipa::path(
    post,
    path = "/webhooks/{id}/test",
    operation_id = "testWebhook",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook.", format = "uuid")),
    responses(
        (status = 202, description = "The message, which is sent at once.", body = WebhookDelivery),
        FaultyInput, NoSuchThing, Conflict, NoJson,
    ),
)]
pub(super) async fn test(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = EndpointId(request.id()?);
    let sent = request.webhooks().test(&request.caller, id).await;
    let sent = sent.map_err(|error| request.webhook_problem(&error))?;
    request.json(StatusCode::ACCEPTED, &WebhookDelivery::from(&sent))
}

/// Deliveries of a webhook
#[utoipa::path(
    get,
    path = "/webhooks/{id}/deliveries",
    operation_id = "listWebhookDeliveries",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook.", format = "uuid"), Paging),
    responses(
        (status = 200, description = "One page, newest first.", body = DeliveryPage),
        FaultyInput, NoSuchThing,
    ),
)]
pub(super) async fn list(request: PersonRequest) -> Result<Response, Problem> {
    let (Query {}, page) = listing::read(request.parameters())?;
    let id = EndpointId(request.id()?);
    let found = request.webhooks().deliveries(&request.caller, id, &page);
    let found = found
        .await
        .map_err(|error| request.webhook_problem(&error))?;
    let listing = Listing::of(found, |view| WebhookDelivery::from(&view));
    request.json(StatusCode::OK, &listing)
}

/// Send a message again
///
/// One that has ended is sent again with the same `webhook-id`, by the whole schedule.
#[utoipa::path(
    post,
    path = "/webhooks/{id}/deliveries/{delivery}/resend",
    operation_id = "resendWebhookDelivery",
    tag = "webhooks",
    params(
        ("id" = String, Path, description = "The webhook.", format = "uuid"),
        ("delivery" = String, Path, description = "The delivery.", format = "uuid"),
    ),
    responses(
        (status = 202, description = "The message, which is sent at once.", body = WebhookDelivery),
        FaultyInput, NoSuchThing, Conflict, NoJson,
    ),
)]
pub(super) async fn resend(request: PersonRequest) -> Result<Response, Problem> {
    request.no_parameters()?;
    let id = EndpointId(request.id()?);
    let delivery = DeliveryId(request.delivery()?);
    let sent = request.webhooks().resend(&request.caller, id, delivery);
    let sent = sent
        .await
        .map_err(|error| request.webhook_problem(&error))?;
    request.json(StatusCode::ACCEPTED, &WebhookDelivery::from(&sent))
}
