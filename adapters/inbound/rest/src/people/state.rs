//! Dependencies of the routes that need a session.

use std::sync::Arc;

use application::{
    InsightsService, KeyService, OwnAccountService, PersonLookupService, SharedCatalogue,
    WebhookService,
};
use web::{RequestLayer, SessionGuard};

/// Dependencies of [`crate::people_router`].
pub struct PeopleState {
    /// Use cases of keys and plans.
    pub keys: Arc<KeyService>,
    /// Reports on accounts, usage and the audit log.
    pub insights: Arc<InsightsService>,
    /// Use cases of stored lookups.
    pub lookups: Arc<PersonLookupService>,
    /// Use cases of own accounts.
    pub own_accounts: Arc<OwnAccountService>,
    /// Catalogue of SPEI participants.
    pub participants: Arc<SharedCatalogue>,
    /// Use cases of webhooks.
    pub webhooks: Arc<WebhookService>,
    /// Dependencies of the request middleware.
    pub request_layer: Arc<RequestLayer>,
    /// Session check and cross-site protection.
    pub guard: Arc<SessionGuard>,
}
