//! Dependencies of the routes for people.

use std::sync::Arc;

use ports::inbound::{Insights, KeyAdministration, PersonLookups, Webhooks};
use web::{RequestLayer, SessionGuard};

/// Dependencies of the routes for people.
pub struct PeopleState {
    /// Manages keys and plans.
    pub keys: Arc<dyn KeyAdministration>,
    /// Reads customers, use and the audit log.
    pub insights: Arc<dyn Insights>,
    /// Reads stored lookups.
    pub lookups: Arc<dyn PersonLookups>,
    /// Manages webhooks.
    pub webhooks: Arc<dyn Webhooks>,
    /// Observes each request.
    pub request_layer: Arc<RequestLayer>,
    /// Checks sessions.
    pub guard: Arc<SessionGuard>,
}
