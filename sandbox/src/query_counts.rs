//! Counts the queries of each transfer, for responses that depend on the count.

use moka::policy::EvictionPolicy;
use moka::sync::Cache;

use crate::order::Order;

/// Maximum number of counted transfers, about 2 MB. The least recently queried one is dropped, and its
/// count starts again.
const MAX_ORDERS: u64 = 5_000;

/// Number of queries by order.
pub(crate) struct QueryCounts(Cache<Order, u32>);

impl QueryCounts {
    pub(crate) fn new() -> Self {
        // Least recently used: moka's default policy may refuse a new entry instead.
        let counts = Cache::builder()
            .max_capacity(MAX_ORDERS)
            .eviction_policy(EvictionPolicy::lru());
        Self(counts.build())
    }

    /// Counts a query of a transfer; returns the number of earlier ones.
    pub(crate) fn add(&self, order: &Order) -> u32 {
        let entry = self.0.entry_by_ref(order);
        let counted = entry
            .and_upsert_with(|entry| entry.map_or(1, |entry| entry.into_value().saturating_add(1)));
        counted.into_value() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::tests;

    fn order(number: u64) -> Order {
        tests::order(&format!("KEY{number}"), "002010077777777771", 70_000, 20)
    }

    #[test]
    fn each_transfer_is_counted_by_itself() {
        let counts = QueryCounts::new();
        let added = [1, 1, 2, 1, 2].map(|number| counts.add(&order(number)));
        assert_eq!(added, [0, 1, 0, 2, 1]);
    }

    #[test]
    fn no_more_transfers_are_counted_than_fit() {
        let counts = QueryCounts::new();
        for number in 0..MAX_ORDERS + 1_000 {
            counts.add(&order(number));
        }
        counts.0.run_pending_tasks();
        assert_eq!(counts.0.entry_count(), MAX_ORDERS);
        let [recent, oldest] = [MAX_ORDERS, 0].map(|number| counts.add(&order(number)));
        assert_eq!((recent, oldest), (1, 0), "the oldest is forgotten first");
    }
}
