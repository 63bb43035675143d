//! Fault injection, and a count of calls.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Mutex;

use ports::Cause;
use tokio::sync::watch;

use super::{cause, lock};

/// Error text of a driver: it names a table and a file, neither of which may reach a client.
pub const DRIVER_ERROR: &str = "near \"SELECT\": no such table: api_key in /var/lib/cep.db";

/// Fault of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The call fails with [`DRIVER_ERROR`].
    Fails,
    /// The call panics.
    Panics,
    /// The call doesn't return until the fault is cleared.
    Hangs,
    /// The call is executed, and fails all the same. The limiter alone knows it.
    LosesAnswers,
}

/// What a test does between two calls.
struct Action {
    method: &'static str,
    run: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// Faults of a fake's calls, and their count. A call is counted when it begins, by the name of its
/// method.
#[derive(Default)]
pub struct Faults {
    calls: Mutex<BTreeMap<&'static str, usize>>,
    /// Rows that calls asked for or returned, by method.
    sizes: Mutex<Vec<(&'static str, usize)>>,
    injected: watch::Sender<Injected>,
    action: Mutex<Option<Action>>,
}

impl fmt::Debug for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.injected.borrow().fmt(formatter)
    }
}

#[derive(Debug, Default)]
struct Injected {
    into_all: Option<Fault>,
    by_method: BTreeMap<&'static str, Fault>,
    /// Calls that succeed before a single one fails.
    once_after: Option<usize>,
}

impl Injected {
    fn of(&self, method: &str) -> Option<Fault> {
        self.by_method.get(method).copied().or(self.into_all)
    }
}

impl Faults {
    /// Injects a fault into every call from now on.
    pub fn inject(&self, fault: Fault) {
        self.injected.send_modify(|it| it.into_all = Some(fault));
    }

    /// Injects a fault into every call of one method from now on.
    pub fn inject_into(&self, method: &'static str, fault: Fault) {
        self.injected.send_modify(|injected| {
            injected.by_method.insert(method, fault);
        });
    }

    /// Makes a single call fail, after this many more calls.
    pub fn fail_once_after(&self, calls: usize) {
        self.injected.send_modify(|it| it.once_after = Some(calls));
    }

    /// Removes all faults; calls that hang go on.
    pub fn clear(&self) {
        self.injected.send_replace(Injected::default());
    }

    /// The number of calls by method; they stay counted.
    pub fn calls(&self) -> BTreeMap<&'static str, usize> {
        lock(&self.calls).clone()
    }

    /// The number of calls of one method.
    pub fn calls_of(&self, method: &str) -> usize {
        lock(&self.calls).get(method).copied().unwrap_or_default()
    }

    /// The number of all calls.
    pub fn all_calls(&self) -> usize {
        lock(&self.calls).values().sum()
    }

    /// The numbers of rows that the calls of one method were about, if it tells them.
    pub fn sizes_of(&self, method: &str) -> Vec<usize> {
        let sizes = lock(&self.sizes);
        let of_method = sizes.iter().filter(|(of, _)| *of == method);
        of_method.map(|(_, size)| *size).collect()
    }

    /// Runs `action` right after the next call of `method`, before it returns; only if the method is one
    /// that says when it ends.
    pub fn after_next(
        &self,
        method: &'static str,
        action: impl Future<Output = ()> + Send + 'static,
    ) {
        let run = Box::pin(action);
        *lock(&self.action) = Some(Action { method, run });
    }

    /// Sets all counts to zero.
    pub fn forget_calls(&self) {
        lock(&self.calls).clear();
    }

    /// Counts a call, and applies the fault that is injected into it.
    pub(super) async fn called(&self, method: &'static str) -> Result<(), Cause> {
        *lock(&self.calls).entry(method).or_default() += 1;
        if self.is_the_one_that_fails() {
            return Err(cause(DRIVER_ERROR));
        }
        let mut injected = self.injected.subscribe();
        loop {
            let fault = injected.borrow_and_update().of(method);
            match fault {
                None | Some(Fault::LosesAnswers) => return Ok(()),
                Some(Fault::Fails) => return Err(cause(DRIVER_ERROR)),
                Some(Fault::Panics) => panic!("an injected panic"),
                // The sender lives as long as `self`.
                Some(Fault::Hangs) => drop(injected.changed().await),
            }
        }
    }

    /// Takes the answer of a call that was executed away, if it is to be lost.
    pub(super) fn answered(&self, method: &str) -> Result<(), Cause> {
        match self.injected.borrow().of(method) {
            Some(Fault::LosesAnswers) => Err(cause(DRIVER_ERROR)),
            _ => Ok(()),
        }
    }

    /// Records of how many rows a call is.
    pub(super) fn sized(&self, method: &'static str, rows: usize) {
        lock(&self.sizes).push((method, rows));
    }

    /// Runs what a test does at the end of a call.
    pub(super) async fn ended(&self, method: &str) {
        let action = lock(&self.action).take_if(|action| action.method == method);
        if let Some(action) = action {
            action.run.await;
        }
    }

    /// Counts down to the call that fails once.
    fn is_the_one_that_fails(&self) -> bool {
        let mut fails = false;
        self.injected.send_if_modified(|injected| {
            fails = injected.once_after == Some(0);
            injected.once_after = injected.once_after.and_then(|left| left.checked_sub(1));
            false
        });
        fails
    }
}
