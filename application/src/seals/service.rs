//! Checks of seals, and records of the results of live proofs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, RwLock};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::keys::Environment;
use domain::proofs::Proof;
use domain::seals::{
    CheckedSeal, NotChecked, SealKey, SealedDigest, Signer, UncheckedSeal, Verdict,
};
use ports::outbound::{
    Clock, MAX_SAMPLES, SealChecks, SealSample, SealStore, SealVerifier, StoreError,
};

use super::ring::{BuiltinKeys, BuiltinSealKey, KeyRing};
use crate::checks::SealVerdicts;

/// Interval at which the use of a key is recorded.
const USE_INTERVAL: TimeDelta = TimeDelta::days(1);

/// Maximum number of keys that are tried on a seal with an unknown certificate; each takes 40 µs.
const KEYS_TRIED: usize = 100;

/// Checks seals with keys in memory: the stored ones, and for `test` keys also the sandbox's. Any process may
/// add a key to the store, so [`Self::refresh`] has to be called every few seconds.
pub struct SealService {
    store: Arc<dyn SealStore>,
    verifier: Arc<dyn SealVerifier>,
    clock: Arc<dyn Clock>,
    builtin: BuiltinKeys,
    stored: RwLock<Arc<KeyRing>>,
    recorded: Mutex<Recorded>,
}

/// Uses and samples that this process has recorded, to avoid calls of the store for each proof.
#[derive(Default)]
struct Recorded {
    uses: HashMap<(Signer, SealKey), DateTime<Utc>>,
    /// Samples that were passed to the store; after [`MAX_SAMPLES`] of a signer no more are needed.
    samples: HashMap<Signer, Vec<SealedDigest>>,
}

impl SealService {
    /// Creates a service without stored keys, which [`Self::refresh`] reads.
    pub fn new(
        store: Arc<dyn SealStore>,
        verifier: Arc<dyn SealVerifier>,
        clock: Arc<dyn Clock>,
        builtin: Vec<BuiltinSealKey>,
    ) -> Self {
        Self {
            store,
            verifier,
            clock,
            builtin: BuiltinKeys::new(builtin),
            stored: RwLock::default(),
            recorded: Mutex::default(),
        }
    }

    /// Reads the stored keys.
    ///
    /// # Errors
    /// The store failed; the keys in memory are kept.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        let keys = self.store.seal_keys().await?;
        let ring = Arc::new(KeyRing::new(keys, &self.builtin));
        let stored = self.stored.write();
        *stored.expect("nothing panics while it holds the keys") = ring;
        Ok(())
    }

    /// Records the result of checking a proof that this gateway fetched from the bank: the use of its key, or
    /// a sample for the recovery of an unknown key. Only for the live environment, since seals of the sandbox
    /// aren't evidence. MUST NOT be called for uploaded proofs, which may be forged. Most calls don't use the
    /// store.
    ///
    /// # Errors
    /// The store failed; the next proof is recorded instead.
    pub async fn try_record(
        &self,
        environment: Environment,
        proof: &Proof,
        checked: &CheckedSeal,
    ) -> Result<(), StoreError> {
        if environment != Environment::Live {
            return Ok(());
        }
        let Ok(seal) = UncheckedSeal::of(proof) else {
            return Ok(());
        };
        match checked.verdict {
            Verdict::Valid(_) => self.record_use(&seal).await,
            Verdict::Invalid => {
                tracing::error!(
                    participant = %seal.signer().participant,
                    certificate = %seal.signer().certificate,
                    "a proof from the bank has a seal that isn't its certificate's"
                );
                Ok(())
            }
            Verdict::NotChecked(NotChecked::UnknownCertificate) => self.record_sample(&seal).await,
            Verdict::NotChecked(NotChecked::Unreadable) => Ok(()),
        }
    }

    async fn record_use(&self, seal: &UncheckedSeal) -> Result<(), StoreError> {
        let ring = self.ring();
        let keys = ring.of(seal.signer());
        let is_used = |key: &&SealKey| self.verifier.verify(key, seal).is_some();
        // If there is only one key, the check used it.
        let used = match keys {
            [only] => Some(only),
            several => several.iter().find(is_used),
        };
        let Some(key) = used else {
            return Ok(());
        };
        let now = self.clock.now();
        let used = (seal.signer().clone(), key.clone());
        let last = self.recorded().uses.get(&used).copied();
        if last.is_some_and(|last| now - last <= USE_INTERVAL) {
            return Ok(());
        }
        self.store.record_seal_use(&used.0, key, now).await?;
        self.recorded().uses.insert(used, now);
        Ok(())
    }

    async fn record_sample(&self, seal: &UncheckedSeal) -> Result<(), StoreError> {
        let (signer, digest) = (seal.signer(), seal.digest());
        // If a proof has two different seals, it is unknown which one the institution made.
        let Ok(bytes) = seal.bytes().try_into() else {
            return Ok(());
        };
        if !seal.is_repeated() || !self.wants_sample(signer, digest) {
            return Ok(());
        }
        let sample = SealSample {
            signer: signer.clone(),
            digest,
            seal: bytes,
        };
        self.store
            .add_seal_sample(&sample, self.clock.now())
            .await?;
        let mut recorded = self.recorded();
        let samples = recorded.samples.entry(sample.signer).or_default();
        if !samples.contains(&digest) {
            samples.push(digest);
        }
        Ok(())
    }

    fn wants_sample(&self, signer: &Signer, digest: SealedDigest) -> bool {
        let recorded = self.recorded();
        let samples = recorded.samples.get(signer);
        samples.is_none_or(|samples| samples.len() < MAX_SAMPLES && !samples.contains(&digest))
    }

    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        let recorded = self.recorded.lock();
        recorded.expect("nothing panics while it holds the record")
    }

    /// The known key that made a seal, for any text and certificate: the sandbox's, or a stored one.
    fn maker(&self, seal: &UncheckedSeal) -> Option<SealKey> {
        let ring = self.ring();
        ring.makers.get_with_by_ref(seal.bytes(), || {
            let stored = ring.all(seal.signer().participant);
            let mut keys = self.builtin.all().chain(stored).take(KEYS_TRIED);
            keys.find(|key| self.verifier.opens(key, seal)).cloned()
        })
    }

    /// Result of checking a proof's seal with the keys of an environment.
    fn judged(&self, environment: Environment, proof: &Proof) -> CheckedSeal {
        CheckedSeal::of(proof, |seal| {
            let ring = self.ring();
            let stored = ring.of(seal.signer()).iter();
            let builtin = self.builtin.of(&seal.signer().certificate);
            let builtin = builtin.filter(|_| environment == Environment::Test);
            let verify = |key: &SealKey, seal: &UncheckedSeal| self.verifier.verify(key, seal);
            seal.verdict(builtin.chain(stored), || self.maker(seal), verify)
        })
    }

    fn ring(&self) -> Arc<KeyRing> {
        let stored = self.stored.read();
        Arc::clone(&stored.expect("nothing panics while it holds the keys"))
    }
}

impl SealVerdicts for SealService {
    fn verdict(&self, environment: Environment, proof: &Proof) -> Verdict {
        self.judged(environment, proof).verdict
    }

    fn is_of_sandbox(&self, proof: &Proof) -> bool {
        let Ok(seal) = UncheckedSeal::of(proof) else {
            return false;
        };
        let names_it = self.builtin.of(&seal.signer().certificate).next().is_some();
        if names_it && self.ring().of(seal.signer()).is_empty() {
            return true;
        }
        let is_known = matches!(self.verdict(Environment::Live, proof), Verdict::Valid(_));
        !is_known
            && self
                .builtin
                .all()
                .any(|key| self.verifier.opens(key, &seal))
    }
}

#[async_trait]
impl SealChecks for SealService {
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal {
        let checked = self.judged(environment, proof);
        // A seal that an institution's key verified can't be the sandbox's; skipping the check saves time for
        // most deliveries.
        let is_institutions =
            environment == Environment::Live && matches!(checked.verdict, Verdict::Valid(_));
        CheckedSeal {
            by_sandbox: !is_institutions && self.is_of_sandbox(proof),
            ..checked
        }
    }

    async fn record(&self, environment: Environment, proof: &Proof, checked: &CheckedSeal) {
        if let Err(error) = self.try_record(environment, proof, checked).await {
            tracing::warn!(%error, "what the seal of a proof showed could not be stored");
        }
    }
}
