//! Fault injection, and a count of calls.

use std::collections::BTreeMap;
use std::sync::Mutex;

use ports::Cause;
use tokio::sync::watch;

use super::cause;

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
}

/// Faults of a fake's calls, and their count. A call is counted when it begins, by the name of its
/// method.
#[derive(Debug, Default)]
pub struct Faults {
    calls: Mutex<BTreeMap<&'static str, usize>>,
    injected: watch::Sender<Injected>,
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
        self.injected
            .send_modify(|injected| injected.into_all = Some(fault));
    }

    /// Injects a fault into every call of one method from now on.
    pub fn inject_into(&self, method: &'static str, fault: Fault) {
        self.injected.send_modify(|injected| {
            injected.by_method.insert(method, fault);
        });
    }

    /// Makes a single call fail, after this many more calls.
    pub fn fail_once_after(&self, calls: usize) {
        self.injected
            .send_modify(|injected| injected.once_after = Some(calls));
    }

    /// Removes all faults; calls that hang go on.
    pub fn clear(&self) {
        self.injected.send_replace(Injected::default());
    }

    /// The number of calls by method; they stay counted.
    pub fn calls(&self) -> BTreeMap<&'static str, usize> {
        self.count(|calls| calls.clone())
    }

    /// Sets all counts to zero.
    pub fn forget_calls(&self) {
        self.count(BTreeMap::clear);
    }

    fn count<T>(&self, change: impl FnOnce(&mut BTreeMap<&'static str, usize>) -> T) -> T {
        let mut calls = self.calls.lock();
        change(calls.as_mut().expect("nothing panics while it counts"))
    }

    /// Counts a call, and applies the fault that is injected into it.
    pub(super) async fn called(&self, method: &'static str) -> Result<(), Cause> {
        self.count(|calls| *calls.entry(method).or_default() += 1);
        if self.is_the_one_that_fails() {
            return Err(cause(DRIVER_ERROR));
        }
        let mut injected = self.injected.subscribe();
        loop {
            let fault = injected.borrow_and_update().of(method);
            match fault {
                None => return Ok(()),
                Some(Fault::Fails) => return Err(cause(DRIVER_ERROR)),
                Some(Fault::Panics) => panic!("an injected panic"),
                // The sender lives as long as `self`.
                Some(Fault::Hangs) => drop(injected.changed().await),
            }
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
