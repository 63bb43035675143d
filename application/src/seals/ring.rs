//! Keys in memory, by the certificates that they belong to.

use std::collections::HashMap;

use domain::participant::ParticipantCode;
use domain::seal::{CertificateNumber, SealKey, Signer};
use moka::sync::Cache;
use ports::outbound::StoredSealKey;

/// Seals whose makers are remembered: the lines of a page are joined in many ways under one seal.
const MAKERS: u64 = 1_000;

/// Key of the sandbox. Its private part is published, so everybody can seal with it: it counts for
/// `test` keys alone, and is never stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltinSealKey {
    /// The certificate of all banks of the sandbox; `None` for a key that verifies nothing.
    pub certificate: Option<CertificateNumber>,
    /// Its key.
    pub key: SealKey,
}

/// Keys that are compiled in.
pub(super) struct BuiltinKeys(Vec<BuiltinSealKey>);

impl BuiltinKeys {
    pub(super) fn new(keys: Vec<BuiltinSealKey>) -> Self {
        Self(keys)
    }

    /// The keys of a certificate, whatever the participant.
    pub(super) fn of(&self, certificate: &CertificateNumber) -> impl Iterator<Item = &SealKey> {
        let keys = self.0.iter();
        let keys = keys.filter(move |builtin| builtin.certificate.as_ref() == Some(certificate));
        keys.map(|builtin| &builtin.key)
    }

    /// The keys that verify something.
    pub(super) fn all(&self) -> impl Iterator<Item = &SealKey> {
        let keys = self.0.iter();
        let keys = keys.filter(|builtin| builtin.certificate.is_some());
        keys.map(|builtin| &builtin.key)
    }

    /// Returns `true` if the modulus is a compiled-in key's.
    pub(super) fn contains(&self, key: &SealKey) -> bool {
        let mut keys = self.0.iter();
        keys.any(|builtin| builtin.key.modulus() == key.modulus())
    }
}

/// Keys of the store.
pub(super) struct KeyRing {
    keys: HashMap<Signer, Vec<SealKey>>,
    /// The keys that made seals of unknown certificates, by the seals; `None` for a seal of none that is known.
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
    /// The stored keys, without any that is compiled in.
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

    /// The keys of a certificate of a participant.
    pub(super) fn of(&self, signer: &Signer) -> &[SealKey] {
        self.keys.get(signer).map_or(&[], Vec::as_slice)
    }

    /// All keys, those of this participant first.
    pub(super) fn all(&self, participant: ParticipantCode) -> impl Iterator<Item = &SealKey> {
        let is_its = move |signer: &Signer| signer.participant == participant;
        let its = self.keys.iter().filter(move |(signer, _)| is_its(signer));
        let others = self.keys.iter().filter(move |(signer, _)| !is_its(signer));
        its.chain(others).flat_map(|(_, keys)| keys)
    }
}
