//! Input, payload and resolver of `rotateWebhookSecret`.

use async_graphql::{Context, ID, InputObject};

use super::WebhookSecretPayload;
use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, WebhookMembers, webhook_payload};

/// A webhook that is to be given a new secret.
#[derive(InputObject)]
pub(crate) struct RotateWebhookSecretInput {
    /// The webhook.
    id: ID,
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: RotateWebhookSecretInput,
) -> Result<WebhookSecretPayload, FieldError> {
    let mut errors = InputErrors::default();
    let Some(id) = errors.webhook("id", &input.id) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let caller = &requester(context).caller;
    let rotated = ports(context).webhooks.rotate_secret(caller, id).await;
    webhook_payload(context, &WebhookMembers::ITSELF, rotated)
}
