//! When to ask something that fails, and when to leave it alone.

use std::time::Duration;

use news::Changes;

mod news;

/// Failures in a row after which it is left alone. One alone may be a hiccup, and giving up has its
/// price: every key is read from the store again afterwards, and shares of a budget go unused. It
/// isn't many either, for each failure may cost a request as long as a call may take (200 ms).
pub(crate) const FAILURES: u32 = 3;
/// The first rest; each probe that fails doubles it.
pub(crate) const FIRST_REST: Duration = Duration::from_secs(1);
/// The longest rest.
pub(crate) const LONGEST_REST: Duration = Duration::from_secs(15);

/// Closed while calls succeed. Open after some failures in a row, and nobody calls; after a rest
/// one call at a time tries, and a success closes it. The time is any that never goes back.
#[derive(Debug)]
pub(crate) struct Breaker {
    state: State,
    /// Grows whenever it closes or opens, so that calls of an earlier time tell nothing.
    generation: u64,
    changes: Changes,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Closed { failures: u32 },
    Open { until: Duration, rest: Duration },
    Probing { rest: Duration },
}

/// Leave to make one call. Its end is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Permit {
    generation: u64,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It was answered.
    Answered,
    /// It failed.
    Failed,
    /// It was given up before its end, or never made.
    Abandoned,
}

/// What the end of a call changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// From now on nobody calls but a probe at a time.
    Opened,
    /// From now on everybody calls.
    Closed,
}

/// What is to be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transition {
    /// How it is now.
    pub(crate) now: Change,
    /// How often it changed since something was said.
    pub(crate) changes: u32,
}

impl Default for Breaker {
    fn default() -> Self {
        Self {
            state: State::Closed { failures: 0 },
            generation: 0,
            changes: Changes::default(),
        }
    }
}

impl Breaker {
    /// Whether everybody may call.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed { .. })
    }

    /// Leave to call now; `None` while it is left alone.
    pub(crate) fn permit(&mut self, now: Duration) -> Option<Permit> {
        match self.state {
            State::Closed { .. } => {}
            State::Open { until, rest } if until <= now => self.state = State::Probing { rest },
            State::Open { .. } | State::Probing { .. } => return None,
        }
        Some(Permit {
            generation: self.generation,
        })
    }

    /// What is to be said of its changes now: each at once, but a few together while it changes all
    /// the time. To be asked after each call.
    pub(crate) fn news(&mut self, now: Duration) -> Option<Transition> {
        let changes = self.changes.take(now)?;
        let now = if self.is_closed() {
            Change::Closed
        } else {
            Change::Opened
        };
        Some(Transition { now, changes })
    }

    /// Learns how a call ended.
    pub(crate) fn end(&mut self, permit: Permit, ending: Ending, now: Duration) -> Option<Change> {
        let change = self.learn(permit, ending, now);
        if change.is_some() {
            self.changes.add();
        }
        change
    }

    fn learn(&mut self, permit: Permit, ending: Ending, now: Duration) -> Option<Change> {
        if permit.generation != self.generation {
            return None;
        }
        match (self.state, ending) {
            (State::Closed { .. }, Ending::Answered) => {
                self.state = State::Closed { failures: 0 };
                None
            }
            (State::Closed { failures }, Ending::Failed) if failures + 1 < FAILURES => {
                let failures = failures + 1;
                self.state = State::Closed { failures };
                None
            }
            (State::Closed { .. }, Ending::Failed) => {
                self.rest(FIRST_REST, now);
                Some(Change::Opened)
            }
            (State::Probing { .. }, Ending::Answered) => {
                self.generation += 1;
                self.state = State::Closed { failures: 0 };
                Some(Change::Closed)
            }
            (State::Probing { rest }, Ending::Failed) => {
                self.rest((rest * 2).min(LONGEST_REST), now);
                None
            }
            // Nothing was learnt: the next one may try at once.
            (State::Probing { rest }, Ending::Abandoned) => {
                self.state = State::Open { until: now, rest };
                None
            }
            (State::Closed { .. }, Ending::Abandoned) | (State::Open { .. }, _) => None,
        }
    }

    fn rest(&mut self, rest: Duration, now: Duration) {
        self.generation += 1;
        self.state = State::Open {
            until: now + rest,
            rest,
        };
    }
}

#[cfg(test)]
mod tests;
