//! Order of turns: first by class, then customers and their keys in round robin, then the lookups of a
//! key in FIFO order.

use std::collections::VecDeque;

use super::lane::{INTERACTIVE_IN_A_ROW, Lane, LookupClass, QueueLength};
use crate::keys::CounterId;
use crate::people::customer::CustomerId;

/// Waiting lookups in the order of their turns.
#[derive(Debug)]
pub(super) struct TurnOrder<T> {
    interactive: Customers<T>,
    background: Customers<T>,
    /// Interactive turns since the last background turn, counted while a background lookup waits.
    interactive_in_a_row: usize,
}

type Customers<T> = RoundRobin<CustomerId, Keys<T>>;
type Keys<T> = RoundRobin<CounterId, VecDeque<T>>;

impl<T> Default for TurnOrder<T> {
    fn default() -> Self {
        Self {
            interactive: RoundRobin::default(),
            background: RoundRobin::default(),
            interactive_in_a_row: 0,
        }
    }
}

impl<T: PartialEq> TurnOrder<T> {
    /// Appends a lookup to its lane.
    pub(super) fn push(&mut self, lane: Lane, item: T) {
        let keys = self.class_mut(lane.class).member(lane.customer);
        keys.member(lane.key).push_back(item);
    }

    /// The first lookup in the queue.
    pub(super) fn next(&self) -> Option<&T> {
        self.class(self.next_class()?).next()
    }

    /// Removes the first lookup; its key and customer move to the end of their queues.
    pub(super) fn pop(&mut self) -> Option<T> {
        let class = self.next_class()?;
        self.interactive_in_a_row = match class {
            LookupClass::Interactive if !self.background.is_empty() => {
                self.interactive_in_a_row + 1
            }
            LookupClass::Interactive | LookupClass::Background => 0,
        };
        self.class_mut(class).pop()
    }

    /// Removes a lookup from its lane.
    pub(super) fn remove(&mut self, lane: Lane, item: &T) -> Option<T> {
        let customers = self.class_mut(lane.class);
        let keys = customers.get_mut(&lane.customer)?;
        let queue = keys.get_mut(&lane.key)?;
        let removed = queue.remove(queue.iter().position(|other| other == item)?);
        keys.remove_if_empty(&lane.key);
        customers.remove_if_empty(&lane.customer);
        if self.background.is_empty() {
            self.interactive_in_a_row = 0;
        }
        removed
    }

    /// Number of lookups in a lane.
    pub(super) fn lane_len(&self, lane: Lane) -> usize {
        self.lane(lane).map_or(0, VecDeque::len)
    }

    /// Position of a lookup in its lane, from 0.
    pub(super) fn place(&self, lane: Lane, item: &T) -> Option<usize> {
        self.lane(lane)?.iter().position(|other| other == item)
    }

    /// Number of turns before that of the lookup at a position in its lane, from 0. The position after
    /// the last one is that of a new lookup.
    pub(super) fn turns_before(&self, lane: Lane, place: usize) -> usize {
        let customers = self.class(lane.class);
        let of_key = place + 1;
        let of_customer = customers.get(&lane.customer).map_or(of_key, |keys| {
            of_key + keys.turns_of_others(&lane.key, of_key)
        });
        let before = of_customer - 1 + customers.turns_of_others(&lane.customer, of_customer);
        before + self.turns_of_other_class(lane.class, before)
    }

    /// Number of turns of the other class before a lookup that has `before` turns of its own class
    /// ahead.
    fn turns_of_other_class(&self, class: LookupClass, before: usize) -> usize {
        let in_a_row = self.interactive_in_a_row;
        match class {
            LookupClass::Interactive => {
                let due = (before + in_a_row) / INTERACTIVE_IN_A_ROW;
                due.min(self.background.len())
            }
            LookupClass::Background => {
                let allowed = INTERACTIVE_IN_A_ROW * (before + 1);
                let allowed = allowed.saturating_sub(in_a_row);
                allowed.min(self.interactive.len())
            }
        }
    }

    pub(super) fn len(&self) -> QueueLength {
        let length = |class: &Customers<T>| u32::try_from(class.len()).unwrap_or(u32::MAX);
        QueueLength {
            interactive: length(&self.interactive),
            background: length(&self.background),
        }
    }

    fn next_class(&self) -> Option<LookupClass> {
        if self.interactive.is_empty() && self.background.is_empty() {
            return None;
        }
        let is_backgrounds = self.interactive.is_empty()
            || (!self.background.is_empty() && self.interactive_in_a_row >= INTERACTIVE_IN_A_ROW);
        Some(if is_backgrounds {
            LookupClass::Background
        } else {
            LookupClass::Interactive
        })
    }

    fn lane(&self, lane: Lane) -> Option<&VecDeque<T>> {
        self.class(lane.class).get(&lane.customer)?.get(&lane.key)
    }

    const fn class(&self, class: LookupClass) -> &Customers<T> {
        match class {
            LookupClass::Interactive => &self.interactive,
            LookupClass::Background => &self.background,
        }
    }

    const fn class_mut(&mut self, class: LookupClass) -> &mut Customers<T> {
        match class {
            LookupClass::Interactive => &mut self.interactive,
            LookupClass::Background => &mut self.background,
        }
    }
}

/// A queue of lookups, possibly made of other queues.
trait Queue<T> {
    fn len(&self) -> usize;
    fn next(&self) -> Option<&T>;
    fn pop(&mut self) -> Option<T>;
}

impl<T> Queue<T> for VecDeque<T> {
    fn len(&self) -> usize {
        self.len()
    }

    fn next(&self) -> Option<&T> {
        self.front()
    }

    fn pop(&mut self) -> Option<T> {
        self.pop_front()
    }
}

/// Queues in round robin, the next one first. None of them is empty.
#[derive(Debug)]
struct RoundRobin<K, Q>(VecDeque<(K, Q)>);

impl<K, Q> Default for RoundRobin<K, Q> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<K: PartialEq + Copy, Q: Default> RoundRobin<K, Q> {
    /// The member's queue; a new member is added at the end.
    fn member(&mut self, id: K) -> &mut Q {
        let place = self.place(&id).unwrap_or_else(|| {
            self.0.push_back((id, Q::default()));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }
}

impl<K: PartialEq, Q> RoundRobin<K, Q> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn place(&self, id: &K) -> Option<usize> {
        self.0.iter().position(|(member, _)| member == id)
    }

    fn get(&self, id: &K) -> Option<&Q> {
        self.place(id).map(|place| &self.0[place].1)
    }

    fn get_mut(&mut self, id: &K) -> Option<&mut Q> {
        self.place(id).map(|place| &mut self.0[place].1)
    }

    fn remove_if_empty<T>(&mut self, id: &K)
    where
        Q: Queue<T>,
    {
        self.0
            .retain(|(member, queue)| member != id || queue.len() > 0);
    }

    /// Number of turns of the other members before the `nth` turn (from 1) of this one.
    fn turns_of_others<T>(&self, id: &K, nth: usize) -> usize
    where
        Q: Queue<T>,
    {
        let own = self.place(id).unwrap_or(self.0.len());
        let turns = |(place, (_, queue)): (usize, &(K, Q))| match place.cmp(&own) {
            std::cmp::Ordering::Less => queue.len().min(nth),
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => queue.len().min(nth - 1),
        };
        self.0.iter().enumerate().map(turns).sum()
    }
}

impl<T, K, Q: Queue<T>> Queue<T> for RoundRobin<K, Q> {
    fn len(&self) -> usize {
        self.0.iter().map(|(_, queue)| queue.len()).sum()
    }

    fn next(&self) -> Option<&T> {
        self.0.front()?.1.next()
    }

    fn pop(&mut self) -> Option<T> {
        let (id, mut queue) = self.0.pop_front()?;
        let item = queue.pop();
        if queue.len() > 0 {
            self.0.push_back((id, queue));
        }
        item
    }
}

#[cfg(test)]
mod tests;
