//! Checks of seals for which no key is known.

use domain::key::Environment;
use domain::proof::Proof;
use domain::seal::{CheckedSeal, NotChecked, UncheckedSeal, Verdict};
use ports::outbound::SealChecks;

/// Checks that know no key.
pub(super) struct NoKeys;

impl SealChecks for NoKeys {
    fn check(&self, _: Environment, proof: &Proof) -> CheckedSeal {
        match UncheckedSeal::of(proof) {
            Ok(seal) => CheckedSeal {
                verdict: Verdict::NotChecked(NotChecked::UnknownCertificate),
                signer: Some(seal.signer().clone()),
                digest: Some(seal.digest()),
            },
            Err(reason) => CheckedSeal {
                verdict: Verdict::NotChecked(reason),
                signer: None,
                digest: None,
            },
        }
    }
}
