//! Input, payload and resolver of `resendWebhookDelivery`.

use async_graphql::{Context, ID, InputObject};

use super::WebhookDeliveryPayload;
use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, WebhookMembers, webhook_payload};

/// A delivery that is to be sent again.
#[derive(InputObject)]
pub(crate) struct ResendWebhookDeliveryInput {
    /// The webhook.
    webhook_id: ID,
    /// The delivery.
    delivery_id: ID,
}

const MEMBERS: WebhookMembers = WebhookMembers {
    webhook: "webhookId",
    subject: "deliveryId",
};

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: ResendWebhookDeliveryInput,
) -> Result<WebhookDeliveryPayload, FieldError> {
    let mut errors = InputErrors::default();
    let (id, delivery) = (
        errors.webhook(MEMBERS.webhook, &input.webhook_id),
        errors.delivery(&input.delivery_id),
    );
    let (Some(id), Some(delivery)) = (id, delivery) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let caller = &requester(context).caller;
    let sent = ports(context).webhooks.resend(caller, id, delivery).await;
    webhook_payload(context, &MEMBERS, sent)
}
