//! Mutations of webhooks. Payloads don't implement `Debug`, because one contains a secret.

use application::{CreatedWebhook, NewWebhook, WebhookChange, WebhookSwitch};
use async_graphql::{Context, ID, InputObject, Object};
use web::problem::UserProblem;
use web::views::keys::Environment;
use web::views::webhooks::{Webhook, WebhookDelivery, WebhookEvent};

use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, MutationError, Nullable, payload, respond};

/// A webhook that is to be added.
#[derive(InputObject)]
pub(crate) struct CreateWebhookInput {
    /// Address of the messages: https, to a host of the public internet, port 443 or 8443.
    url: String,
    /// The events that it is told: at least one, and not `WEBHOOK_TEST`.
    events: Vec<WebhookEvent>,
    /// The environment whose events it is told.
    #[graphql(default_with = "Environment::Live")]
    env: Environment,
}

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

/// A webhook that is to be removed.
#[derive(InputObject)]
pub(crate) struct RemoveWebhookInput {
    /// The webhook.
    id: ID,
}

/// A webhook that is to be given a new secret.
#[derive(InputObject)]
pub(crate) struct RotateWebhookSecretInput {
    /// The webhook.
    id: ID,
}

/// A webhook that is to be sent a test event.
#[derive(InputObject)]
pub(crate) struct TestWebhookInput {
    /// The webhook.
    id: ID,
}

/// A delivery that is to be sent again.
#[derive(InputObject)]
pub(crate) struct ResendWebhookDeliveryInput {
    /// The webhook.
    webhook_id: ID,
    /// The delivery.
    delivery_id: ID,
}

payload! {
    /// A webhook that was changed, or why it wasn't.
    WebhookPayload {
        /// The webhook after the change; null when nothing was changed.
        webhook: Webhook,
    }
}

payload! {
    /// A webhook with a new secret, or why it has none.
    WebhookSecretPayload {
        /// The webhook; null when nothing was changed.
        webhook: Webhook,
        /// Its secret, `whsec_…`, which verifies messages. It is shown here and never again; null when
        /// nothing was changed.
        secret: String,
    }
}

payload! {
    /// A webhook that was removed, or why it wasn't.
    RemoveWebhookPayload {
        /// The identity that it had; null when nothing was changed.
        removed_id: ID,
    }
}

payload! {
    /// A message that is sent, or why it isn't.
    WebhookDeliveryPayload {
        /// The delivery; null when nothing is sent.
        delivery: WebhookDelivery,
    }
}

impl From<&CreatedWebhook> for WebhookSecretPayload {
    fn from(created: &CreatedWebhook) -> Self {
        let secret = created.secret.text().to_string();
        Self::of(Webhook::from(&created.webhook), secret)
    }
}

#[derive(Default)]
pub(crate) struct WebhookMutation;

#[Object]
impl WebhookMutation {
    /// Adds a webhook to the viewer's account, which has at most 10 of them.
    async fn create_webhook(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook that is to be added.")] input: CreateWebhookInput,
    ) -> Nullable<WebhookSecretPayload> {
        let create = async {
            let new = NewWebhook {
                url: input.url,
                events: input.events.into_iter().map(WebhookEvent::into).collect(),
                environment: input.env.into(),
            };
            let caller = &requester(context).caller;
            let created = ports(context).webhooks.create(caller, new).await?;
            Ok((&created).into())
        };
        respond(context, create).await
    }

    /// Changes one of the viewer's webhooks.
    async fn update_webhook(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook, and what is to be changed.")] input: UpdateWebhookInput,
    ) -> Nullable<WebhookPayload> {
        let update = async {
            let mut errors = InputErrors::default();
            let id = errors.webhook("id", &input.id);
            let change = change(input, &mut errors);
            let (id, change) = errors.end(id.zip(change))?;
            let caller = &requester(context).caller;
            let changed = ports(context).webhooks.change(caller, id, change).await?;
            Ok(WebhookPayload::of(Webhook::from(&changed)))
        };
        respond(context, update).await
    }

    /// Removes one of the viewer's webhooks, with all that was sent to it.
    async fn remove_webhook(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook.")] input: RemoveWebhookInput,
    ) -> Nullable<RemoveWebhookPayload> {
        let remove = async {
            let mut errors = InputErrors::default();
            let id = errors.webhook("id", &input.id);
            let id = errors.end(id)?;
            let caller = &requester(context).caller;
            ports(context).webhooks.remove(caller, id).await?;
            Ok(RemoveWebhookPayload::of(id.into()))
        };
        respond(context, remove).await
    }

    /// Gives one of the viewer's webhooks a new secret. For 24 hours messages are signed with both, so
    /// that receivers can change at any time.
    async fn rotate_webhook_secret(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook.")] input: RotateWebhookSecretInput,
    ) -> Nullable<WebhookSecretPayload> {
        let rotate = async {
            let mut errors = InputErrors::default();
            let id = errors.webhook("id", &input.id);
            let id = errors.end(id)?;
            let caller = &requester(context).caller;
            let rotated = ports(context).webhooks.rotate_secret(caller, id).await?;
            Ok((&rotated).into())
        };
        respond(context, rotate).await
    }

    /// Sends a test event to one of the viewer's webhooks, once.
    async fn test_webhook(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook.")] input: TestWebhookInput,
    ) -> Nullable<WebhookDeliveryPayload> {
        let test = async {
            let mut errors = InputErrors::default();
            let id = errors.webhook("id", &input.id);
            let id = errors.end(id)?;
            let caller = &requester(context).caller;
            let sent = ports(context).webhooks.test(caller, id).await?;
            Ok(WebhookDeliveryPayload::of(WebhookDelivery::from(&sent)))
        };
        respond(context, test).await
    }

    /// Sends a message that has ended again, with the same id and by the whole schedule.
    async fn resend_webhook_delivery(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook, and the delivery.")] input: ResendWebhookDeliveryInput,
    ) -> Nullable<WebhookDeliveryPayload> {
        const MEMBERS: (&str, &str) = ("webhookId", "deliveryId");
        let resend = async {
            let mut errors = InputErrors::default();
            let webhook = errors.webhook(MEMBERS.0, &input.webhook_id);
            let delivery = errors.delivery(&input.delivery_id);
            let (id, delivery) = errors.end(webhook.zip(delivery))?;
            let caller = &requester(context).caller;
            let sent = ports(context).webhooks.resend(caller, id, delivery).await;
            let sent = sent.map_err(|error| MutationError::of_webhook(MEMBERS, error))?;
            Ok(WebhookDeliveryPayload::of(WebhookDelivery::from(&sent)))
        };
        respond(context, resend).await
    }
}

fn change(input: UpdateWebhookInput, errors: &mut InputErrors) -> Option<WebhookChange> {
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
