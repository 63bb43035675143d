//! Input, payload and resolver of `createWebhook`.

use application::NewWebhook;
use async_graphql::{Context, InputObject};

use super::WebhookSecretPayload;
use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::enums::{Environment, WebhookEvent};
use crate::schema::user_error::{WebhookMembers, webhook_payload};

/// A webhook that is to be added.
#[derive(InputObject)]
pub(crate) struct CreateWebhookInput {
    /// Address of the messages: https, to a host of the public internet, port 443 or 8443.
    url: String,
    /// The events that it is told: at least one, and not `TEST`.
    events: Vec<WebhookEvent>,
    /// The environment whose events it is told.
    #[graphql(default_with = "Environment::Live")]
    environment: Environment,
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: CreateWebhookInput,
) -> Result<WebhookSecretPayload, FieldError> {
    let new = NewWebhook {
        url: input.url,
        events: input.events.into_iter().map(WebhookEvent::into).collect(),
        environment: input.environment.into(),
    };
    let caller = &requester(context).caller;
    let created = ports(context).webhooks.create(caller, new).await;
    webhook_payload(context, &WebhookMembers::ITSELF, created)
}
