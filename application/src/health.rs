//! Whether we can serve.

use std::sync::Arc;

use async_trait::async_trait;
use ports::inbound::{Component, ComponentState, Health};
use ports::outbound::{KeyStore, UsageJournal};

/// Looks at the store, which is one cheap reading, and at how the journal's last write ended.
pub struct HealthService {
    keys: Arc<dyn KeyStore>,
    journal: Arc<dyn UsageJournal>,
}

impl HealthService {
    /// The health of a service that stands on these.
    pub fn new(keys: Arc<dyn KeyStore>, journal: Arc<dyn UsageJournal>) -> Self {
        Self { keys, journal }
    }
}

#[async_trait]
impl Health for HealthService {
    async fn components(&self) -> Vec<Component> {
        let store = self
            .keys
            .newest_change()
            .await
            .map(|_| ())
            .map_err(|error| error.to_string());
        // A write that waits for the disk would tell no sooner; the last one tells at once.
        let trouble = self.journal.trouble();
        let journal = trouble.map_or(Ok(()), |cause| Err(cause.to_string()));
        let component = |name, result: Result<(), String>| {
            let state = match result {
                Ok(()) => ComponentState::Up,
                Err(error) => {
                    tracing::warn!(component = name, error, "not ready");
                    ComponentState::Failed
                }
            };
            Component { name, state }
        };
        vec![component("store", store), component("journal", journal)]
    }
}
