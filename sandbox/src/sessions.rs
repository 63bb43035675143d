//! What each session may download. Bounded: a client that never comes back is forgotten.

use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;
use moka::policy::EvictionPolicy;

use crate::order::Order;

/// How long a session lives unused.
const IDLE: Duration = Duration::from_mins(10);
/// Most sessions at once: half a minute of 2,000 payments a second, about 25 MB.
const MOST: u64 = 60_000;

/// A session is known and armed with an order, or known and armed with nothing.
type Armed = Option<Arc<Order>>;

/// The sessions of the portal.
pub(crate) struct Sessions(Cache<String, Armed>);

impl Sessions {
    pub(crate) fn new() -> Self {
        // Least recently used goes first: moka's default policy would rather refuse a newcomer.
        let sessions = Cache::builder()
            .max_capacity(MOST)
            .time_to_idle(IDLE)
            .eviction_policy(EvictionPolicy::lru());
        Self(sessions.build())
    }

    pub(crate) fn knows(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// Remembers what the session may download from now on, and forgets what it might before.
    pub(crate) async fn arm(&self, id: String, order: Option<Order>) {
        self.0.insert(id, order.map(Arc::new)).await;
    }

    /// The order whose proof the session may download.
    pub(crate) async fn armed(&self, id: &str) -> Armed {
        self.0.get(id).await.flatten()
    }
}
