//! Administration of seal keys: import, and recovery from samples.

use std::sync::Arc;

use domain::seals::{SealKey, SealKeyOrigin, Signer};
use ports::outbound::{Clock, SealSample, SealStore, SealVerifier, StoreError, StoredSealKey};

use super::ring::{BuiltinKeys, BuiltinSealKey};

/// Number of samples that must confirm a recovered key: the key is computed from two of them, which a
/// multiple of the right modulus would fit as well.
pub const MIN_CONFIRMING_SAMPLES: usize = 3;

/// Lists, imports and recovers stored seal keys.
pub struct SealAdministration {
    store: Arc<dyn SealStore>,
    verifier: Arc<dyn SealVerifier>,
    clock: Arc<dyn Clock>,
    builtin: BuiltinKeys,
}

/// A signer without a key, with its samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryCandidate {
    /// Institution and certificate without a key.
    pub signer: Signer,
    /// Samples, at least one; [`MIN_CONFIRMING_SAMPLES`] are enough for a recovery.
    pub samples: Vec<SealSample>,
}

/// Reason why a key isn't stored.
#[derive(Debug, thiserror::Error)]
pub enum SealImportError {
    /// The signer has this key already.
    #[error("this certificate has this key already")]
    Known,
    /// The key is the sandbox's, whose private key is public.
    #[error(
        "it is the sandbox's key, whose private part is published: everybody could seal live \
         proofs with it"
    )]
    Published,
    /// The certificate has samples, and the key verifies none of them.
    #[error(
        "it verifies none of the {samples} seals that this gateway has of this certificate: it is \
         somebody else's. The tax authority's repository has certificates of unrelated persons with \
         the same serial numbers; only the institution's own is right"
    )]
    Another {
        /// Number of the certificate's samples.
        samples: usize,
    },
    /// Too few samples confirm the recovered key.
    #[error(
        "it verifies {confirming} of the {samples} seals that this gateway has of this \
         certificate; {MIN_CONFIRMING_SAMPLES} must confirm a recovered key"
    )]
    Unconfirmed {
        /// Number of samples that the key verifies.
        confirming: usize,
        /// Number of the certificate's samples.
        samples: usize,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SealAdministration {
    /// Creates an administration of the keys in `store`, which refuses those of `builtin`.
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
        }
    }

    /// All stored keys, ordered by participant, certificate and time of addition.
    ///
    /// # Errors
    /// The store failed.
    pub async fn keys(&self) -> Result<Vec<StoredSealKey>, StoreError> {
        self.store.seal_keys().await
    }

    /// All samples, ordered by participant, certificate and time of addition.
    ///
    /// # Errors
    /// The store failed.
    pub async fn samples(&self) -> Result<Vec<SealSample>, StoreError> {
        self.store.seal_samples().await
    }

    /// Stores a key that an operator obtained from its institution. Returns the number of the certificate's
    /// samples that the key verifies.
    ///
    /// # Errors
    /// See [`SealImportError`].
    pub async fn import(&self, signer: &Signer, key: &SealKey) -> Result<usize, SealImportError> {
        let samples = self.samples_of(signer).await?;
        let confirming = self.confirming(key, &samples);
        if confirming == 0 && !samples.is_empty() && !self.builtin.contains(key) {
            return Err(SealImportError::Another {
                samples: samples.len(),
            });
        }
        self.add(signer, key, SealKeyOrigin::Imported).await?;
        Ok(confirming)
    }

    /// Signers that have samples but no key, with all their samples.
    ///
    /// # Errors
    /// The store failed.
    pub async fn recovery_candidates(&self) -> Result<Vec<RecoveryCandidate>, StoreError> {
        let keys = self.store.seal_keys().await?;
        let mut candidates: Vec<RecoveryCandidate> = Vec::new();
        for sample in self.store.seal_samples().await? {
            if keys.iter().any(|stored| stored.signer == sample.signer) {
                continue;
            }
            match candidates.last_mut() {
                Some(last) if last.signer == sample.signer => last.samples.push(sample),
                _ => candidates.push(RecoveryCandidate {
                    signer: sample.signer.clone(),
                    samples: vec![sample],
                }),
            }
        }
        Ok(candidates)
    }

    /// Stores a key that was computed from the stored samples, if enough of them confirm it.
    ///
    /// # Errors
    /// See [`SealImportError`].
    pub async fn add_recovered(
        &self,
        signer: &Signer,
        key: &SealKey,
    ) -> Result<(), SealImportError> {
        let samples = self.samples_of(signer).await?;
        let confirming = self.confirming(key, &samples);
        if confirming < MIN_CONFIRMING_SAMPLES {
            return Err(SealImportError::Unconfirmed {
                confirming,
                samples: samples.len(),
            });
        }
        self.add(signer, key, SealKeyOrigin::Recovered).await
    }

    async fn samples_of(&self, signer: &Signer) -> Result<Vec<SealSample>, StoreError> {
        let samples = self.store.seal_samples().await?.into_iter();
        Ok(samples.filter(|sample| sample.signer == *signer).collect())
    }

    /// Number of samples that the key verifies.
    fn confirming(&self, key: &SealKey, samples: &[SealSample]) -> usize {
        let samples = samples.iter();
        samples
            .filter(|sample| self.verifier.verifies_sample(key, sample))
            .count()
    }

    async fn add(
        &self,
        signer: &Signer,
        key: &SealKey,
        origin: SealKeyOrigin,
    ) -> Result<(), SealImportError> {
        if self.builtin.contains(key) {
            return Err(SealImportError::Published);
        }
        let now = self.clock.now();
        if self.store.add_seal_key(signer, key, origin, now).await? {
            Ok(())
        } else {
            Err(SealImportError::Known)
        }
    }
}
