//! Checks of seals under a test's control.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use domain::key::Environment;
use domain::proof::Proof;
use domain::seal::{CheckedSeal, Verdict};
use ports::outbound::SealChecks;
use testkit::fakes::NoSealKeys;

/// Checks of seals that find each wrong, once they are told to, and are counted.
#[derive(Default)]
pub(crate) struct ScriptedSeals {
    are_wrong: AtomicBool,
    checked: AtomicUsize,
}

impl ScriptedSeals {
    pub(crate) fn find_all_wrong(&self) {
        self.are_wrong.store(true, Ordering::SeqCst);
    }

    /// Number of checks so far.
    pub(crate) fn checked(&self) -> usize {
        self.checked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl SealChecks for ScriptedSeals {
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal {
        self.checked.fetch_add(1, Ordering::SeqCst);
        let checked = NoSealKeys.check(environment, proof);
        if self.are_wrong.load(Ordering::SeqCst) {
            return CheckedSeal {
                verdict: Verdict::Invalid,
                ..checked
            };
        }
        checked
    }

    async fn record(&self, _: Environment, _: &Proof, _: &CheckedSeal) {}
}
