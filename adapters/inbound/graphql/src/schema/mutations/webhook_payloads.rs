//! Payloads of mutations of webhooks. They don't implement `Debug`, because one contains a secret.

use application::{CreatedWebhook, DeliveryView, WebhookView};
use async_graphql::SimpleObject;

use crate::schema::user_error::UserError;
use crate::schema::webhook::Webhook;
use crate::schema::webhook_delivery::WebhookDelivery;

/// A webhook that was changed, or why it wasn't.
#[derive(SimpleObject, Default)]
pub(crate) struct WebhookPayload {
    /// The webhook after the change; null when nothing was changed.
    webhook: Option<Webhook>,
    /// Reasons for which nothing was changed; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<WebhookView> for WebhookPayload {
    fn from(view: WebhookView) -> Self {
        Self {
            webhook: Some(Webhook::from(&view)),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for WebhookPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}

/// A webhook with a new secret, or why it has none.
#[derive(SimpleObject, Default)]
pub(crate) struct WebhookSecretPayload {
    /// The webhook; null when nothing was changed.
    webhook: Option<Webhook>,
    /// Its secret, `whsec_…`, which verifies messages. It is shown here and never again; null when
    /// nothing was changed.
    secret: Option<String>,
    /// Reasons for which nothing was changed; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<CreatedWebhook> for WebhookSecretPayload {
    fn from(created: CreatedWebhook) -> Self {
        Self {
            webhook: Some(Webhook::from(&created.webhook)),
            secret: Some(created.secret.text().to_string()),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for WebhookSecretPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}

/// A message that is sent, or why it isn't.
#[derive(SimpleObject, Default)]
pub(crate) struct WebhookDeliveryPayload {
    /// The delivery; null when nothing is sent.
    delivery: Option<WebhookDelivery>,
    /// Reasons for which nothing is sent; empty when it is.
    user_errors: Vec<UserError>,
}

impl From<DeliveryView> for WebhookDeliveryPayload {
    fn from(view: DeliveryView) -> Self {
        Self {
            delivery: Some(WebhookDelivery::from(&view)),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for WebhookDeliveryPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}
