//! Signals within this process: new work, and changes of lookups.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Poll};

use domain::lookups::LookupId;
use futures::channel::oneshot::{self, Receiver, Sender};

use crate::sync::WorkSignal;

/// Maximum number of lookups with waiting callers; callers beyond that only poll.
const MAX_WAITING: usize = 10_000;

/// Wakes tasks that wait for a change of a lookup, and the worker when there is work. Changes by other
/// processes are signalled while the listener is connected. A few may be lost, so waiting tasks also poll the
/// store.
#[derive(Default)]
pub struct LookupSignals {
    is_listening: AtomicBool,
    waiting: Mutex<HashMap<LookupId, Vec<Sender<()>>>>,
    work: WorkSignal,
}

/// Resolves at the next change of a lookup. Its entry is removed when it is dropped.
pub(super) struct NextChange<'a> {
    signals: &'a LookupSignals,
    id: LookupId,
    receiver: Receiver<()>,
}

impl Future for NextChange<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // Completes because the sender is dropped; nothing is sent.
        Pin::new(&mut self.receiver).poll(context).map(drop)
    }
}

impl Drop for NextChange<'_> {
    fn drop(&mut self) {
        self.receiver.close();
        self.signals.tidy(self.id);
    }
}

impl LookupSignals {
    /// Waits for the next change of a lookup; `None` if too many lookups are waited for already.
    pub(super) fn next_change(&self, id: LookupId) -> Option<NextChange<'_>> {
        let mut waiting = self.waiting();
        if waiting.len() >= MAX_WAITING && !waiting.contains_key(&id) {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        waiting.entry(id).or_default().push(sender);
        Some(NextChange {
            signals: self,
            id,
            receiver,
        })
    }

    /// Wakes the tasks that wait for a lookup.
    pub(super) fn changed(&self, id: LookupId) {
        // Dropping the senders resolves their receivers.
        self.waiting().remove(&id);
    }

    /// Records if other processes' changes are signalled from now on. Wakes all tasks to read the store once,
    /// because changes may have been missed.
    pub(super) fn listening(&self, is_listening: bool) {
        self.is_listening.store(is_listening, Ordering::Release);
        self.waiting().clear();
        self.work();
    }

    /// Returns `true` while other processes' changes are signalled.
    pub(super) fn is_listening(&self) -> bool {
        self.is_listening.load(Ordering::Acquire)
    }

    /// Removes the entries of dropped futures.
    fn tidy(&self, id: LookupId) {
        let mut waiting = self.waiting();
        if let Some(senders) = waiting.get_mut(&id) {
            senders.retain(|sender| !sender.is_canceled());
            if senders.is_empty() {
                waiting.remove(&id);
            }
        }
    }

    /// Signals to the worker that lookups may be due.
    pub(crate) fn work(&self) {
        self.work.work();
    }

    /// The signal of new work and free places to the worker.
    pub(super) fn worker(&self) -> &WorkSignal {
        &self.work
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<LookupId, Vec<Sender<()>>>> {
        self.waiting
            .lock()
            .expect("nothing panics while it holds the waiters")
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt as _;
    use uuid::Uuid;

    use super::*;

    const ID: LookupId = LookupId(Uuid::from_u128(1));
    const OTHER: LookupId = LookupId(Uuid::from_u128(2));

    #[test]
    fn all_listeners_of_a_lookup_hear_its_next_change() {
        let signals = LookupSignals::default();
        let listen = |id| signals.next_change(id).unwrap();
        let (mut one, mut two, mut other) = (listen(ID), listen(ID), listen(OTHER));
        assert!((&mut one).now_or_never().is_none());
        signals.changed(ID);
        assert!((&mut one).now_or_never().is_some());
        assert!((&mut two).now_or_never().is_some());
        assert!((&mut other).now_or_never().is_none());
    }

    #[test]
    fn listeners_that_are_gone_take_no_room() {
        let signals = LookupSignals::default();
        let (gone, stays) = (signals.next_change(ID), signals.next_change(ID));
        drop(gone);
        assert_eq!(signals.waiting()[&ID].len(), 1);
        drop(stays);
        assert!(signals.waiting().is_empty());
    }

    #[test]
    fn one_who_heard_a_change_leaves_the_later_listeners_alone() {
        let signals = LookupSignals::default();
        let heard = signals.next_change(ID).unwrap();
        signals.changed(ID);
        let mut later = signals.next_change(ID).unwrap();
        drop(heard);
        assert!((&mut later).now_or_never().is_none());
        signals.changed(ID);
        assert!(later.now_or_never().is_some());
    }

    #[test]
    fn everybody_looks_once_when_the_listening_begins_or_ends() {
        let signals = LookupSignals::default();
        for is_listening in [true, false] {
            let (one, other) = (signals.next_change(ID), signals.next_change(OTHER));
            signals.listening(is_listening);
            assert!(one.unwrap().now_or_never().is_some());
            assert!(other.unwrap().now_or_never().is_some());
            assert!(signals.worker().next_work().now_or_never().is_some());
            assert_eq!(signals.is_listening(), is_listening);
        }
    }

    #[test]
    fn work_that_was_signalled_before_is_found() {
        let signals = LookupSignals::default();
        signals.work();
        signals.work();
        assert!(signals.worker().next_work().now_or_never().is_some());
        let mut next = pin!(signals.worker().next_work());
        assert!(next.as_mut().now_or_never().is_none());
        signals.work();
        assert!(next.now_or_never().is_some());
    }
}
