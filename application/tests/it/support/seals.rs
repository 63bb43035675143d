//! Checks of seals under a test's control.

use std::sync::Mutex;

use async_trait::async_trait;
use domain::keys::Environment;
use domain::proofs::Proof;
use domain::seals::{CheckedSeal, Verdict};
use ports::outbound::SealChecks;
use testkit::fakes::OneSealKey;

/// Environments and tracking keys of proofs.
type Proofs = Vec<(Environment, String)>;

/// Checks of seals that are recorded. They know one certificate until they are told their verdict.
#[derive(Default)]
pub(crate) struct ScriptedSeals {
    verdict: Mutex<Option<Verdict>>,
    checked: Mutex<Proofs>,
    recorded: Mutex<Proofs>,
}

impl ScriptedSeals {
    /// Finds each seal so from now on.
    pub(crate) fn find_all(&self, verdict: Verdict) {
        *self.verdict.lock().unwrap() = Some(verdict);
    }

    pub(crate) fn checked(&self) -> Proofs {
        self.checked.lock().unwrap().clone()
    }

    pub(crate) fn recorded(&self) -> Proofs {
        self.recorded.lock().unwrap().clone()
    }
}

#[async_trait]
impl SealChecks for ScriptedSeals {
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal {
        let checked = (environment, proof.tracking_key().to_owned());
        self.checked.lock().unwrap().push(checked);
        let unknown = OneSealKey.check(environment, proof);
        let verdict = *self.verdict.lock().unwrap();
        CheckedSeal {
            verdict: verdict.unwrap_or(unknown.verdict),
            ..unknown
        }
    }

    async fn record(&self, environment: Environment, proof: &Proof, _: &CheckedSeal) {
        let recorded = (environment, proof.tracking_key().to_owned());
        self.recorded.lock().unwrap().push(recorded);
    }
}
