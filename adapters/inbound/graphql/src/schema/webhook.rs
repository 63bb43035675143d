//! Webhooks: target URLs that are notified when lookups and batches end.

use application::WebhookView;
use async_graphql::{ID, SimpleObject};
use domain::webhooks::EndpointState;

use super::enums::{DisabledReason, Environment, WebhookEvent};
use super::scalars::DateTime;

/// A webhook.
#[derive(SimpleObject)]
pub(crate) struct Webhook {
    /// Its identity.
    id: ID,
    /// The environment whose events it is told.
    environment: Environment,
    /// Address of the messages.
    url: String,
    /// The events that it is told, each once.
    events: Vec<WebhookEvent>,
    /// True when events are sent to it.
    enabled: bool,
    /// Reason for which nothing is sent to it; null while it is enabled.
    disabled_reason: Option<DisabledReason>,
    /// Time since when nothing is sent to it; null while it is enabled.
    disabled_at: Option<DateTime>,
    /// Time of the first failure since the last success; null without one.
    failing_since: Option<DateTime>,
    /// Time until which the secret before the current one signs, too; null without one.
    previous_secret_until: Option<DateTime>,
    /// Time of its creation.
    created_at: DateTime,
    /// Time of the last change by its owner.
    updated_at: DateTime,
}

impl From<&WebhookView> for Webhook {
    fn from(view: &WebhookView) -> Self {
        let disabled = match view.state {
            EndpointState::Enabled => None,
            EndpointState::Disabled { reason, at } => Some((reason.into(), at.into())),
        };
        let (disabled_reason, disabled_at) = disabled.unzip();
        let events = view.events.list().iter().copied();
        Self {
            id: view.id.into(),
            environment: view.environment.into(),
            url: view.url.as_str().to_owned(),
            events: events.map(WebhookEvent::from).collect(),
            enabled: view.state.is_enabled(),
            disabled_reason,
            disabled_at,
            failing_since: view.failing_since.map(DateTime::from),
            previous_secret_until: view.previous_secret_until.map(DateTime::from),
            created_at: view.created_at.into(),
            updated_at: view.updated_at.into(),
        }
    }
}
