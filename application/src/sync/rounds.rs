//! Rounds of a repeated task, for whose end other tasks wait.

use std::mem;
use std::sync::{Mutex, MutexGuard};

use futures::channel::oneshot::{self, Sender};

/// Rounds of a repeated task.
pub(crate) struct Rounds {
    state: Mutex<State>,
    /// Maximum number of waiting tasks, to limit the memory that unauthenticated requests can use.
    capacity: usize,
}

#[derive(Default)]
struct State {
    /// `false` before the first round and after [`Rounds::stop`]; then no task waits.
    are_running: bool,
    /// Tasks that wait for the end of the round that begins next.
    waiting: Vec<Sender<()>>,
}

/// A round, which ends when this is dropped.
pub(crate) struct Round {
    #[expect(dead_code, reason = "dropping the senders wakes the waiters")]
    waiting: Vec<Sender<()>>,
}

impl Rounds {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            state: Mutex::default(),
            capacity,
        }
    }

    /// Begins a round, for whose end the tasks that wait now are waiting.
    pub(crate) fn begin(&self) -> Round {
        let mut state = self.state();
        state.are_running = true;
        Round {
            waiting: mem::take(&mut state.waiting),
        }
    }

    /// Stops the rounds, and wakes all waiting tasks.
    pub(crate) fn stop(&self) {
        *self.state() = State::default();
    }

    /// Waits for the end of the next complete round. Returns at once if no rounds run, or too many tasks
    /// wait.
    pub(crate) async fn next(&self) {
        let ended = {
            let mut state = self.state();
            if !state.are_running || state.waiting.len() >= self.capacity {
                return;
            }
            let (waiter, ended) = oneshot::channel();
            state.waiting.push(waiter);
            ended
        };
        // Nothing is sent; the sender is dropped at the end.
        let _ = ended.await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the rounds")
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn a_waiter_is_woken_by_the_end_of_a_round_that_began_after_it() {
        let rounds = Rounds::new(10);
        let begun_before = rounds.begin();
        let mut waiter = pin!(rounds.next());
        assert!(waiter.as_mut().now_or_never().is_none());
        drop(begun_before);
        assert!(waiter.as_mut().now_or_never().is_none());
        let round = rounds.begin();
        assert!(waiter.as_mut().now_or_never().is_none());
        drop(round);
        assert!(waiter.now_or_never().is_some());
    }

    #[test]
    fn nobody_waits_while_no_rounds_run() {
        let rounds = Rounds::new(10);
        assert!(rounds.next().now_or_never().is_some());
        drop(rounds.begin());
        let mut waiter = pin!(rounds.next());
        assert!(waiter.as_mut().now_or_never().is_none());
        rounds.stop();
        assert!(waiter.now_or_never().is_some());
        assert!(rounds.next().now_or_never().is_some());
    }

    #[test]
    fn no_more_wait_than_there_is_room_for() {
        let rounds = Rounds::new(2);
        drop(rounds.begin());
        let mut waiters: Vec<_> = (0..3).map(|_| Box::pin(rounds.next())).collect();
        let waiting = waiters
            .iter_mut()
            .filter_map(|waiter| waiter.as_mut().now_or_never().is_none().then_some(()));
        assert_eq!(waiting.count(), 2);
    }
}
