//! JSON view of a webhook with its secret.

use application::CreatedWebhook;
use serde::Serialize;
use utoipa::ToSchema;
use web::views::webhooks::Webhook;

/// A webhook with a new secret: the only answer that shows it.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedWebhook)]
pub(crate) struct CreatedWebhookBody {
    webhook: Webhook,
    /// Verifies messages. Keep it now: it is never shown again.
    #[schema(pattern = "^whsec_[0-9A-Za-z+/]{43}=$")]
    secret: String,
}

impl CreatedWebhookBody {
    pub(crate) fn new(created: &CreatedWebhook) -> Self {
        Self {
            webhook: Webhook::from(&created.webhook),
            secret: created.secret.text().to_string(),
        }
    }
}
