//! Bounds on the keys of one customer.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};
use domain::keys::{Addition, BoundReached, KeyBounds, KeyCensus, MOST_NEW_KEYS, NEW_KEYS_SPAN};
use domain::people::customer::CustomerId;

use super::Tables;

impl Tables {
    /// The keys of a customer that count against its bounds.
    fn census(&self, customer: CustomerId, now: DateTime<Utc>) -> KeyCensus {
        let of_customer = self.all_keys().filter(|key| key.customer == customer);
        let mut created: Vec<_> = of_customer
            .map(|key| key.created_at)
            .filter(|created_at| *created_at > now - NEW_KEYS_SPAN)
            .collect();
        created.sort_unstable_by_key(|created_at| Reverse(*created_at));
        created.truncate(MOST_NEW_KEYS);
        KeyCensus {
            active: self.active_keys(customer).count() as u64,
            created,
        }
    }

    /// Checks that a customer may add a key.
    pub(super) fn check_bounds(
        &self,
        bounds: KeyBounds,
        customer: CustomerId,
        addition: Addition,
        now: DateTime<Utc>,
    ) -> Result<(), BoundReached> {
        match (bounds, self.customers.get(&customer)) {
            (KeyBounds::OfPlan, Some(customer)) => {
                let census = self.census(customer.id, now);
                census.check(customer.plan, addition, now)
            }
            _ => Ok(()),
        }
    }
}
