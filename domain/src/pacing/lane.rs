//! Lanes: queues of waiting lookups, one per customer, key and class.

use uuid::Uuid;

use crate::keys::CounterId;
use crate::people::customer::CustomerId;
use crate::variants::named_enum;

/// Maximum number of interactive lookups of one key that wait for a turn.
pub const MAX_WAITING_PER_KEY: usize = 16;
/// Maximum number of consecutive interactive turns while a background lookup waits; the next turn is
/// for the background.
pub(super) const INTERACTIVE_IN_A_ROW: usize = 4;

/// Queue in which a lookup waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lane {
    /// The customer. Customers take turns.
    pub customer: CustomerId,
    /// The counters of the key. The keys of a customer take turns; a rotated key and its successors
    /// share a lane.
    pub key: CounterId,
    /// Priority of the lookup.
    pub class: LookupClass,
}

impl Lane {
    /// The lane for queries of the gateway itself, without a customer.
    pub const GATEWAY: Self = Self {
        customer: CustomerId(Uuid::nil()),
        key: CounterId(Uuid::nil()),
        class: LookupClass::Background,
    };
}

named_enum! {
    /// Priority of a lookup.
    pub enum LookupClass {
        /// A caller is waiting for the response.
        Interactive,
        /// No caller is waiting.
        Background,
    }
}

/// Number of waiting lookups by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueLength {
    /// Number of waiting interactive lookups.
    pub interactive: u32,
    /// Number of waiting background lookups.
    pub background: u32,
}

impl QueueLength {
    /// Number of waiting lookups of a class.
    pub const fn of(self, class: LookupClass) -> u32 {
        match class {
            LookupClass::Interactive => self.interactive,
            LookupClass::Background => self.background,
        }
    }
}
