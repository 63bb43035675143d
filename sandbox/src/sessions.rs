//! Session store: the orders whose proofs each session may download. Number and idle time are limited.

use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;
use moka::policy::EvictionPolicy;

use crate::order::Order;

/// Idle time after which a session expires.
const IDLE: Duration = Duration::from_mins(10);
/// Maximum number of sessions: enough for 2,000 payments a second during half a minute, about 25 MB.
const MAX_ENTRIES: u64 = 60_000;

/// The orders whose proofs a session may download.
type Armed = Arc<[Order]>;

/// The portal's sessions by id.
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

    /// Sets the orders whose proofs the session may download.
    pub(crate) async fn arm(&self, id: String, orders: Vec<Order>) {
        self.0.insert(id, orders.into()).await;
    }

    /// Returns the orders whose proofs the session may download.
    pub(crate) async fn armed(&self, id: &str) -> Armed {
        self.0.get(id).await.unwrap_or_default()
    }
}
