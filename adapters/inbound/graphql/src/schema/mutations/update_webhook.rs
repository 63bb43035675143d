//! Input, payload and resolver of `updateWebhook`.

use application::{WebhookChange, WebhookSwitch};
use async_graphql::{Context, ID, InputObject};
use web::problem::UserProblem;

use super::WebhookPayload;
use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::enums::WebhookEvent;
use crate::schema::user_error::{InputErrors, WebhookMembers, webhook_payload};

/// A change of a webhook; what isn't given stays as it is.
#[derive(InputObject)]
pub(crate) struct UpdateWebhookInput {
    /// The webhook.
    id: ID,
    /// Its new address.
    url: Option<String>,
    /// The events that it is told from now on.
    events: Option<Vec<WebhookEvent>>,
    /// False discards what is pending; true also enables one that was disabled after failures.
    enabled: Option<bool>,
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: UpdateWebhookInput,
) -> Result<WebhookPayload, FieldError> {
    let mut errors = InputErrors::default();
    let (id, change) = (
        errors.webhook("id", &input.id),
        webhook_change(input, &mut errors),
    );
    let (Some(id), Some(change)) = (id, change) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let caller = &requester(context).caller;
    let changed = ports(context).webhooks.change(caller, id, change).await;
    webhook_payload(context, &WebhookMembers::ITSELF, changed)
}

fn webhook_change(input: UpdateWebhookInput, errors: &mut InputErrors) -> Option<WebhookChange> {
    let UpdateWebhookInput {
        url,
        events,
        enabled,
        ..
    } = input;
    if url.is_none() && events.is_none() && enabled.is_none() {
        errors.add_general(UserProblem::NoChange);
        return None;
    }
    Some(WebhookChange {
        url,
        events: events.map(|events| events.into_iter().map(WebhookEvent::into).collect()),
        switch: enabled.map(WebhookSwitch::of),
    })
}
