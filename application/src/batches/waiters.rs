//! Readers who wait for a change of a batch: a bounded number for each customer.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard};

use domain::customer::CustomerId;

/// Readers of a customer that wait at the same time, at most: each reads once a second, over a pool of a few
/// connections where people are.
const MOST: u32 = 16;

/// Readers who wait in this process, whichever service they wait in.
#[derive(Default)]
pub struct BatchWaiters {
    by_customer: Mutex<HashMap<CustomerId, u32>>,
}

/// Place of a reader who waits; free again once this is dropped.
pub(super) struct WaitingPlace {
    waiters: Arc<BatchWaiters>,
    customer: CustomerId,
}

impl BatchWaiters {
    /// Takes a place; `None` when the customer has all of its places taken.
    pub(super) fn wait(self: &Arc<Self>, customer: CustomerId) -> Option<WaitingPlace> {
        let mut by_customer = self.lock();
        let waiting = by_customer.entry(customer).or_default();
        if *waiting >= MOST {
            return None;
        }
        *waiting += 1;
        Some(WaitingPlace {
            waiters: Arc::clone(self),
            customer,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CustomerId, u32>> {
        self.by_customer
            .lock()
            .expect("nothing panics while it counts")
    }
}

impl Drop for WaitingPlace {
    fn drop(&mut self) {
        let mut by_customer = self.waiters.lock();
        if let Entry::Occupied(mut waiting) = by_customer.entry(self.customer) {
            *waiting.get_mut() -= 1;
            if *waiting.get() == 0 {
                waiting.remove();
            }
        }
    }
}
