//! Limit on concurrent lookups of a key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use domain::keys::CounterId;

/// Maximum number of concurrent lookups of one key in this process.
const MAX_PER_KEY: u32 = 64;

/// Number of running lookups by key.
#[derive(Clone, Default)]
pub(super) struct LookupsInFlight(Arc<Mutex<HashMap<CounterId, u32>>>);

/// A running lookup, counted until this is dropped.
pub(super) struct LookupInFlight {
    lookups: LookupsInFlight,
    key: CounterId,
}

impl LookupsInFlight {
    /// Counts a lookup; `None` if the key has reached the maximum.
    pub(super) fn begin(&self, key: CounterId) -> Option<LookupInFlight> {
        let mut lookups = self.lookups();
        let count = lookups.entry(key).or_default();
        if *count >= MAX_PER_KEY {
            return None;
        }
        *count += 1;
        drop(lookups);
        let lookups = self.clone();
        Some(LookupInFlight { lookups, key })
    }

    fn lookups(&self) -> MutexGuard<'_, HashMap<CounterId, u32>> {
        let lookups = self.0.lock();
        lookups.expect("nothing panics while it holds the numbers")
    }
}

impl Drop for LookupInFlight {
    fn drop(&mut self) {
        let mut lookups = self.lookups.lookups();
        if let Some(count) = lookups.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                lookups.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_key_has_sixty_four_lookups_under_way_and_other_keys_are_not_counted() {
        let lookups = LookupsInFlight::default();
        let [greedy, modest] = [1, 2].map(|id| CounterId(Uuid::from_u128(id)));
        let mut under_way: Vec<_> = (0..64).map(|_| lookups.begin(greedy).unwrap()).collect();
        assert!(lookups.begin(greedy).is_none());
        assert!(lookups.begin(modest).is_some());
        under_way.pop();
        under_way.push(lookups.begin(greedy).unwrap());
        assert!(lookups.begin(greedy).is_none());
        drop(under_way);
        assert!(lookups.lookups().is_empty(), "nothing is kept");
    }
}
