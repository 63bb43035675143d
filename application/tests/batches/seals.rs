//! Checks of seals under a test's control.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use domain::key::Environment;
use domain::proof::Proof;
use domain::seal::{CheckedSeal, Verdict};
use ports::outbound::SealChecks;
use testkit::fakes::NoSealKeys;

/// Checks of seals that find each wrong, once they are told to.
#[derive(Default)]
pub(crate) struct ScriptedSeals(AtomicBool);

impl ScriptedSeals {
    pub(crate) fn find_all_wrong(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[async_trait]
impl SealChecks for ScriptedSeals {
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal {
        let checked = NoSealKeys.check(environment, proof);
        if self.0.load(Ordering::SeqCst) {
            return CheckedSeal {
                verdict: Verdict::Invalid,
                ..checked
            };
        }
        checked
    }

    async fn record(&self, _: Environment, _: &Proof, _: &CheckedSeal) {}
}
