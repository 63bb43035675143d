//! Ports: verification of seals, and the store of seal keys and samples.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::keys::Environment;
use domain::proofs::Proof;
use domain::seals::{
    CheckedSeal, SEAL_BYTES, SealHash, SealKey, SealKeyOrigin, SealedDigest, Signer, UncheckedSeal,
};

use super::StoreError;

/// Maximum number of stored samples of a signer: two determine its key, a third confirms it.
pub const MAX_SAMPLES: usize = 4;

/// Port: verification of RSA signatures with PKCS#1 v1.5 padding.
pub trait SealVerifier: Send + Sync {
    /// The hash function with which the key verifies the seal's signature; SHA-512 is tried before SHA-256.
    /// `None` if the signature is not the key's.
    fn verify(&self, key: &SealKey, seal: &UncheckedSeal) -> Option<SealHash>;

    /// Returns `true` if the key made the seal, for any text: the decrypted signature has the padding and a
    /// SHA-512 or SHA-256 hash.
    fn opens(&self, key: &SealKey, seal: &UncheckedSeal) -> bool;

    /// Returns `true` if a sample's seal is the key's signature of the sample's digest, with SHA-512.
    fn verifies_sample(&self, key: &SealKey, sample: &SealSample) -> bool;
}

/// Port: checks of the seals of proofs that the bank issued.
#[async_trait]
pub trait SealChecks: Send + Sync {
    /// Checks the seal of a fetched proof with the keys that are trusted in this environment. Returns at
    /// once, without I/O. Called once for each fetched proof.
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal;

    /// Records the result of a fetched proof's check: the use of the key, or a sample if the key is unknown.
    /// MUST NOT be called for uploaded proofs, which may be forged.
    async fn record(&self, environment: Environment, proof: &Proof, checked: &CheckedSeal);
}

/// A stored key for verifying seals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSealKey {
    /// Institution and certificate of the key.
    pub signer: Signer,
    /// The public key. A signer may have several.
    pub key: SealKey,
    /// Source of the key: import or recovery.
    pub origin: SealKeyOrigin,
    /// Time of addition.
    pub added_at: DateTime<Utc>,
    /// Time of the first check of a seal with the key; `None` if unused.
    pub first_used_at: Option<DateTime<Utc>>,
    /// Time of the last check of a seal with the key, to the day; `None` if unused.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// Part of a proof that the recovery of a key needs; contains no personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealSample {
    /// Institution and certificate that made the seal.
    pub signer: Signer,
    /// SHA-512 of the sealed text.
    pub digest: SealedDigest,
    /// The signature's bytes.
    pub seal: [u8; SEAL_BYTES],
}

/// Port: seal keys and samples, shared by all processes of a database.
#[async_trait]
pub trait SealStore: Send + Sync {
    /// All keys, ordered by participant, certificate and time of addition.
    async fn seal_keys(&self) -> Result<Vec<StoredSealKey>, StoreError>;

    /// Adds a key; returns `false` and changes nothing if the signer has the key already.
    async fn add_seal_key(
        &self,
        signer: &Signer,
        key: &SealKey,
        origin: SealKeyOrigin,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Records the use of a key: sets its first use if there is none, and its last use if that was more than
    /// a day ago.
    async fn record_seal_use(
        &self,
        signer: &Signer,
        key: &SealKey,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Adds a sample; returns `false` and changes nothing if the sample is stored already or its signer has
    /// [`MAX_SAMPLES`]. One atomic step: concurrent callers in several processes can't exceed the limit.
    async fn add_seal_sample(
        &self,
        sample: &SealSample,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// All samples, ordered by participant, certificate and time of addition.
    async fn seal_samples(&self) -> Result<Vec<SealSample>, StoreError>;
}
