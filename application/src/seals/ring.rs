//! Keys in memory, by the certificates that they belong to.

use std::collections::HashMap;

use domain::seal::{CertificateNumber, SealKey, Signer};
use ports::outbound::StoredSealKey;

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

    /// Returns `true` if the modulus is a compiled-in key's.
    pub(super) fn contains(&self, key: &SealKey) -> bool {
        let mut keys = self.0.iter();
        keys.any(|builtin| builtin.key.modulus() == key.modulus())
    }
}

/// Keys of the store.
#[derive(Default)]
pub(super) struct KeyRing(HashMap<Signer, Vec<SealKey>>);

impl KeyRing {
    /// The stored keys, without any that is compiled in.
    pub(super) fn new(stored: Vec<StoredSealKey>, builtin: &BuiltinKeys) -> Self {
        let mut keys: HashMap<_, Vec<_>> = HashMap::new();
        for StoredSealKey { signer, key, .. } in stored {
            if !builtin.contains(&key) {
                keys.entry(signer).or_default().push(key);
            }
        }
        Self(keys)
    }

    /// The keys of a certificate of a participant.
    pub(super) fn of(&self, signer: &Signer) -> &[SealKey] {
        self.0.get(signer).map_or(&[], Vec::as_slice)
    }
}
