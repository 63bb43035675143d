//! Checks of seals that know no key.

use async_trait::async_trait;
use domain::key::Environment;
use domain::proof::Proof;
use domain::seal::{CheckedSeal, NotChecked, Verdict};
use ports::outbound::SealChecks;

/// Checks of seals that know no key, and record nothing.
pub struct NoSealKeys;

#[async_trait]
impl SealChecks for NoSealKeys {
    fn check(&self, _: Environment, proof: &Proof) -> CheckedSeal {
        let unknown = Verdict::NotChecked(NotChecked::UnknownCertificate);
        CheckedSeal::of(proof, |_| unknown)
    }

    async fn record(&self, _: Environment, _: &Proof, _: &CheckedSeal) {}
}
