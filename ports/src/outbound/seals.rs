//! Ports: verification of seals, and the store of keys and samples.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::key::Environment;
use domain::proof::Proof;
use domain::seal::{
    CheckedSeal, SEAL_BYTES, SealHash, SealKey, SealKeyOrigin, SealedDigest, Signer, UncheckedSeal,
};

use super::StoreError;

/// Maximum number of samples of a signer: two give its key, a third confirms it.
pub const MAX_SAMPLES: usize = 4;

/// Port: verification of RSA signatures with PKCS#1 v1.5 padding.
pub trait SealVerifier: Send + Sync {
    /// The hash function under which the seal is this key's signature of its text: SHA-512 is tried
    /// before SHA-256. `None` for a signature that isn't the key's.
    fn verify(&self, key: &SealKey, seal: &UncheckedSeal) -> Option<SealHash>;

    /// Returns `true` if this key made the seal, of whichever text: the signature has a block with the padding and a
    /// SHA-512 or SHA-256 hash in it.
    fn opens(&self, key: &SealKey, seal: &UncheckedSeal) -> bool;

    /// Returns `true` if a sample's seal is this key's signature of its digest, under SHA-512.
    fn verifies_sample(&self, key: &SealKey, sample: &SealSample) -> bool;
}

/// Port: checks of the seals of proofs that the bank delivered.
#[async_trait]
pub trait SealChecks: Send + Sync {
    /// Checks the seal of an accepted proof with the keys that count in this environment. Returns at
    /// once, without I/O. Called once for each proof that is fetched.
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal;

    /// Records what the seal of a fetched proof showed: the use of its key, or a sample of an unknown
    /// one. MUST NOT be called for a proof that somebody sent, which may be forged.
    async fn record(&self, environment: Environment, proof: &Proof, checked: &CheckedSeal);
}

/// A key that verifies seals, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSealKey {
    /// The certificate.
    pub signer: Signer,
    /// Its key. A signer may have several.
    pub key: SealKey,
    /// Source of the key.
    pub origin: SealKeyOrigin,
    /// Time at which it was added.
    pub added_at: DateTime<Utc>,
    /// First time at which a seal was checked with it.
    pub first_used_at: Option<DateTime<Utc>>,
    /// Last time at which a seal was checked with it, to the day.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// Part of one proof that the recovery of a key needs; no personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealSample {
    /// The certificate.
    pub signer: Signer,
    /// SHA-512 of the sealed text.
    pub digest: SealedDigest,
    /// The seal.
    pub seal: [u8; SEAL_BYTES],
}

/// Port: the keys and samples that all processes of a database share.
#[async_trait]
pub trait SealStore: Send + Sync {
    /// All keys, by participant, certificate and time of addition.
    async fn seal_keys(&self) -> Result<Vec<StoredSealKey>, StoreError>;

    /// Adds a key; returns `false` and changes nothing when the signer has it already.
    async fn add_seal_key(
        &self,
        signer: &Signer,
        key: &SealKey,
        origin: SealKeyOrigin,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Records that a seal was checked with a key: sets its first use, and its last use when that
    /// was more than a day ago.
    async fn record_seal_use(
        &self,
        signer: &Signer,
        key: &SealKey,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Adds a sample; returns `false` and changes nothing when it is known, or its signer has
    /// [`MAX_SAMPLES`]. One atomic step: of many callers, in many processes, the bound holds.
    async fn add_seal_sample(
        &self,
        sample: &SealSample,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// All samples, by participant, certificate and time of addition.
    async fn seal_samples(&self) -> Result<Vec<SealSample>, StoreError>;
}
