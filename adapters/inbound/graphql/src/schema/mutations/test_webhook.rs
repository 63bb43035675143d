//! Input, payload and resolver of `testWebhook`.

use async_graphql::{Context, ID, InputObject};

use super::WebhookDeliveryPayload;
use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, WebhookMembers, webhook_payload};

/// A webhook that is to be sent a test event.
#[derive(InputObject)]
pub(crate) struct TestWebhookInput {
    /// The webhook.
    id: ID,
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: TestWebhookInput,
) -> Result<WebhookDeliveryPayload, FieldError> {
    let mut errors = InputErrors::default();
    let Some(id) = errors.webhook("id", &input.id) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let caller = &requester(context).caller;
    let sent = ports(context).webhooks.test(caller, id).await;
    webhook_payload(context, &WebhookMembers::ITSELF, sent)
}
