//! Lanes: the queues of waiting lookups, by customer, key and class.

use uuid::Uuid;

use crate::customer::CustomerId;
use crate::key::CounterId;
use crate::variants::named_enum;

/// Maximum number of interactive lookups of one key that wait for their turns.
pub const MAX_WAITING_PER_KEY: usize = 16;
/// Consecutive interactive turns while a background lookup waits; the next turn is background's.
pub(super) const INTERACTIVE_IN_A_ROW: usize = 4;

/// Queue in which a lookup waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lane {
    /// The customer; customers take turns.
    pub customer: CustomerId,
    /// The counters of the customer's key; the keys of a customer take turns. A rotated key and its
    /// successors share a lane.
    pub key: CounterId,
    /// The priority.
    pub class: LookupClass,
}

impl Lane {
    /// The lane of the gateway's own questions, of no customer.
    pub const GATEWAY: Self = Self {
        customer: CustomerId(Uuid::nil()),
        key: CounterId(Uuid::nil()),
        class: LookupClass::Background,
    };
}

named_enum! {
    /// Priority of a lookup.
    pub enum LookupClass {
        /// A caller holds the line.
        Interactive,
        /// Nobody holds the line.
        Background,
    }
}

/// Number of waiting lookups by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueLength {
    /// Waiting interactive lookups.
    pub interactive: u32,
    /// Background ones.
    pub background: u32,
}

impl QueueLength {
    /// The number of one class.
    pub const fn of(self, class: LookupClass) -> u32 {
        match class {
            LookupClass::Interactive => self.interactive,
            LookupClass::Background => self.background,
        }
    }
}
