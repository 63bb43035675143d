//! Session store: the order that each session may download. Bounded in number and idle time.

use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;
use moka::policy::EvictionPolicy;

use crate::order::Order;

/// Idle time after which a session expires.
const IDLE: Duration = Duration::from_mins(10);
/// Maximum number of sessions: half a minute of 2,000 payments a second, about 25 MB.
const MAX_ENTRIES: u64 = 60_000;

/// The order that a known session is armed with; `None` when it isn't armed.
type Armed = Option<Arc<Order>>;

/// The sessions of the portal.
pub(crate) struct Sessions(Cache<String, Armed>);

impl Sessions {
    pub(crate) fn new() -> Self {
        // Least recently used: moka's default policy may refuse a new entry instead.
        let sessions = Cache::builder()
            .max_capacity(MAX_ENTRIES)
            .time_to_idle(IDLE)
            .eviction_policy(EvictionPolicy::lru());
        Self(sessions.build())
    }

    pub(crate) fn knows(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// Arms the session with an order, or disarms it.
    pub(crate) async fn arm(&self, id: String, order: Option<Order>) {
        self.0.insert(id, order.map(Arc::new)).await;
    }

    /// Returns the order whose proof the session may download.
    pub(crate) async fn armed(&self, id: &str) -> Armed {
        self.0.get(id).await.flatten()
    }
}
