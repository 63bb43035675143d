//! Input, payload and resolver of `removeWebhook`.

use async_graphql::{Context, ID, InputObject, SimpleObject};
use domain::webhooks::EndpointId;

use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, UserError, WebhookMembers, webhook_payload};

/// A webhook that is to be removed.
#[derive(InputObject)]
pub(crate) struct RemoveWebhookInput {
    /// The webhook.
    id: ID,
}

/// A webhook that was removed, or why it wasn't.
#[derive(SimpleObject, Default)]
pub(crate) struct RemoveWebhookPayload {
    /// The identity that it had; null when nothing was changed.
    removed_id: Option<ID>,
    /// Reasons for which nothing was changed; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<EndpointId> for RemoveWebhookPayload {
    fn from(id: EndpointId) -> Self {
        Self {
            removed_id: Some(id.into()),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for RemoveWebhookPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: RemoveWebhookInput,
) -> Result<RemoveWebhookPayload, FieldError> {
    let mut errors = InputErrors::default();
    let Some(id) = errors.webhook("id", &input.id) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let caller = &requester(context).caller;
    let removed = ports(context).webhooks.remove(caller, id).await;
    webhook_payload(context, &WebhookMembers::ITSELF, removed.map(|()| id))
}
