//! Position of a lookup in the queue, and an estimate of when it is attempted.

use chrono::{DateTime, TimeDelta, Utc};

use crate::pacing::Pacing;

/// Due lookups of the same class that may be processed before a lookup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueAhead {
    /// Number of lookups of the same customer that were due before.
    pub own: u64,
    /// Due lookups of the other customers.
    pub others: Vec<OtherQueue>,
}

/// Due lookups of another customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherQueue {
    /// Number of due lookups.
    pub due: u64,
    /// `true` if this customer's turn comes before that of the lookup's customer.
    pub goes_first: bool,
}

/// Position of a due lookup in the queue of its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuePlace {
    /// Position in the order of processing, from 1.
    pub position: u64,
    /// Estimated time of its query to the bank; `None` if the bank has no budget.
    pub eta: Option<DateTime<Utc>>,
}

impl QueueAhead {
    /// The position of the lookup if customers take turns. Before its turn, each other customer gets as
    /// many turns as its own customer, and one more if it goes first, up to its number of due lookups.
    pub fn position(&self) -> u64 {
        let before = self.others.iter().map(|other| {
            let turns = self.own.saturating_add(other.goes_first.into());
            other.due.min(turns)
        });
        let own = self.own.saturating_add(1);
        before.fold(own, u64::saturating_add)
    }

    /// The position and estimated time, if the whole budget is used for these lookups.
    pub fn place(&self, pacing: Option<Pacing>, now: DateTime<Utc>) -> QueuePlace {
        let position = self.position();
        let eta = pacing.map(|pacing| {
            let turns = u32::try_from(position).unwrap_or(u32::MAX);
            let wait = pacing.spacing().saturating_mul(turns);
            let wait = TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
            now.checked_add_signed(wait)
                .unwrap_or(DateTime::<Utc>::MAX_UTC)
        });
        QueuePlace { position, eta }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::num::NonZeroU32;

    use proptest::prelude::*;

    use super::*;

    /// The number of turns until the `own + 1`th lookup of the customer at `place` is served, when
    /// customers with so many lookups take turns in this order.
    fn served(queues: &[u64], place: usize, own: u64) -> u64 {
        let mut order: VecDeque<_> = queues.iter().copied().enumerate().collect();
        let (mut turns, mut own_turns) = (0, 0);
        while let Some((customer, due)) = order.pop_front() {
            if due == 0 {
                continue;
            }
            turns += 1;
            if customer == place {
                own_turns += 1;
                if own_turns > own {
                    return turns;
                }
            }
            order.push_back((customer, due - 1));
        }
        unreachable!("the lookup is among them")
    }

    fn ahead(queues: &[u64], place: usize, own: u64) -> QueueAhead {
        let others = queues.iter().enumerate();
        let others = others.filter(|(customer, _)| *customer != place);
        let others = others.map(|(customer, due)| OtherQueue {
            due: *due,
            goes_first: customer < place,
        });
        QueueAhead {
            own,
            others: others.collect(),
        }
    }

    fn pacing(per_minute: u32) -> Pacing {
        Pacing::new(NonZeroU32::new(per_minute).unwrap())
    }

    proptest! {
        #[test]
        fn the_position_is_the_turn_at_which_a_lookup_is_served(
            queues in proptest::collection::vec(0..20_u64, 1..8),
            place: prop::sample::Index,
            own: prop::sample::Index,
        ) {
            let place = place.index(queues.len());
            let mut queues = queues;
            queues[place] += 1;
            let own = own.index(usize::try_from(queues[place]).unwrap()) as u64;
            let expected = served(&queues, place, own);
            prop_assert_eq!(ahead(&queues, place, own).position(), expected);
        }

        #[test]
        fn whoever_is_behind_comes_later(
            queues in proptest::collection::vec(0..20_u64, 1..8),
            own in 0..50_u64,
            per_minute in 1..10_000_u32,
        ) {
            let now = DateTime::UNIX_EPOCH;
            let place = |own| ahead(&queues, 0, own).place(Some(pacing(per_minute)), now);
            let (before, behind) = (place(own), place(own + 1));
            prop_assert!(before.position < behind.position);
            prop_assert!(now < before.eta.unwrap() && before.eta < behind.eta);
        }
    }

    #[test]
    fn a_turn_is_estimated_by_the_budget() {
        let now = DateTime::UNIX_EPOCH;
        let ahead = QueueAhead {
            own: 39,
            others: Vec::new(),
        };
        let place = ahead.place(Some(pacing(20)), now);
        assert_eq!(place.position, 40);
        // The portal's minute has a margin of a second.
        assert_eq!(place.eta, Some(now + TimeDelta::seconds(2 * 61)));
        assert_eq!(ahead.place(None, now).eta, None);
    }

    #[test]
    fn numbers_without_bounds_are_no_trouble() {
        let endless = OtherQueue {
            due: u64::MAX,
            goes_first: true,
        };
        let ahead = QueueAhead {
            own: u64::MAX,
            others: vec![endless; 2],
        };
        let place = ahead.place(Some(pacing(1)), DateTime::<Utc>::MAX_UTC);
        assert_eq!(place.position, u64::MAX);
        assert_eq!(place.eta, Some(DateTime::<Utc>::MAX_UTC));
    }
}
