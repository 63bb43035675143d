//! Seal keys in memory, by certificate.

use std::collections::HashMap;

use domain::participants::ParticipantCode;
use domain::seals::{CertificateNumber, SealKey, Signer};
use moka::sync::Cache;
use ports::outbound::StoredSealKey;

/// Maximum number of seals whose signing key is cached; useful because the lines of a page are joined in many
/// ways with the same seal.
const MAKERS: u64 = 1_000;

/// Key of the sandbox. Its private key is public, so anybody can make such seals: it is trusted for `test`
/// keys only, and never stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltinSealKey {
    /// The certificate of all banks of the sandbox; `None` for a key that verifies nothing.
    pub certificate: Option<CertificateNumber>,
    /// The public key.
    pub key: SealKey,
}

/// The compiled-in keys.
pub(super) struct BuiltinKeys(Vec<BuiltinSealKey>);

impl BuiltinKeys {
    pub(super) fn new(keys: Vec<BuiltinSealKey>) -> Self {
        Self(keys)
    }

    /// Keys of a certificate, for any participant.
    pub(super) fn of(&self, certificate: &CertificateNumber) -> impl Iterator<Item = &SealKey> {
        let keys = self.0.iter();
        let keys = keys.filter(move |builtin| builtin.certificate.as_ref() == Some(certificate));
        keys.map(|builtin| &builtin.key)
    }

    /// Keys that have a certificate.
    pub(super) fn all(&self) -> impl Iterator<Item = &SealKey> {
        let keys = self.0.iter();
        let keys = keys.filter(|builtin| builtin.certificate.is_some());
        keys.map(|builtin| &builtin.key)
    }

    /// Returns `true` if a compiled-in key has the same modulus.
    pub(super) fn contains(&self, key: &SealKey) -> bool {
        let mut keys = self.0.iter();
        keys.any(|builtin| builtin.key.modulus() == key.modulus())
    }
}

/// The stored keys.
pub(super) struct KeyRing {
    keys: HashMap<Signer, Vec<SealKey>>,
    /// The known keys that made seals with unknown certificates, by seal; `None` if no known key did.
    pub(super) makers: Cache<Vec<u8>, Option<SealKey>>,
}

impl Default for KeyRing {
    fn default() -> Self {
        Self {
            keys: HashMap::new(),
            makers: Cache::new(MAKERS),
        }
    }
}

impl KeyRing {
    /// Creates the ring from the stored keys, except those that are compiled in.
    pub(super) fn new(stored: Vec<StoredSealKey>, builtin: &BuiltinKeys) -> Self {
        let mut keys: HashMap<_, Vec<_>> = HashMap::new();
        for StoredSealKey { signer, key, .. } in stored {
            if !builtin.contains(&key) {
                keys.entry(signer).or_default().push(key);
            }
        }
        Self {
            keys,
            ..Self::default()
        }
    }

    /// Keys of a participant's certificate.
    pub(super) fn of(&self, signer: &Signer) -> &[SealKey] {
        self.keys.get(signer).map_or(&[], Vec::as_slice)
    }

    /// All keys, beginning with those of this participant.
    pub(super) fn all(&self, participant: ParticipantCode) -> impl Iterator<Item = &SealKey> {
        let is_its = move |signer: &Signer| signer.participant == participant;
        let its = self.keys.iter().filter(move |(signer, _)| is_its(signer));
        let others = self.keys.iter().filter(move |(signer, _)| !is_its(signer));
        its.chain(others).flat_map(|(_, keys)| keys)
    }
}
