//! Dependencies of the routes for people.

use std::sync::Arc;

use application::{InsightsService, KeyService, PersonLookupService, WebhookService};
use web::{RequestLayer, SessionGuard};

/// Dependencies of the routes for people.
pub struct PeopleState {
    /// Manages keys and plans.
    pub keys: Arc<KeyService>,
    /// Reads customers, use and the audit log.
    pub insights: Arc<InsightsService>,
    /// Reads stored lookups.
    pub lookups: Arc<PersonLookupService>,
    /// Manages webhooks.
    pub webhooks: Arc<WebhookService>,
    /// Observes each request.
    pub request_layer: Arc<RequestLayer>,
    /// Checks sessions.
    pub guard: Arc<SessionGuard>,
}
