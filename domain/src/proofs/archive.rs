//! Archive of issued proofs: the index by which an entry is found, and the key that decrypts it.
//!
//! Both are derived from the operator's secret and all data of the transfer. A stolen database reveals
//! neither, and even the operator, who has the secret, can't read an entry without knowing the
//! transfer.

use std::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::hex;
use crate::keys::{Environment, HashGeneration, KeyHasher, SecretError};
use crate::tracking_key::TrackingKey;
use crate::transfer::Transfer;

/// Prefix of the message from which an index is derived.
const INDEX_LABEL: &str = "cep-gateway: the index of an archived proof, 1";
/// Prefix of the message from which a key is derived.
const KEY_LABEL: &str = "cep-gateway: the key of an archived proof, 1";

/// Index of an entry: a keyed hash of the transfer and its environment, which reveals neither.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArchiveIndex(pub [u8; 32]);

impl ArchiveIndex {
    /// The index in 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        hex::encode(&self.0)
    }

    /// Parses 64 hexadecimal digits; `None` for any other text.
    pub fn from_hex(text: &str) -> Option<Self> {
        Some(Self(hex::decode(text)?.try_into().ok()?))
    }
}

impl fmt::Debug for ArchiveIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ArchiveIndex")
    }
}

/// Encryption key of one entry. It is wiped from memory when dropped, and never shown by `Debug`.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct ContentKey([u8; 32]);

impl ContentKey {
    /// Wraps the bytes of a key.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The key's bytes, for use with a cipher.
    pub fn reveal(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for ContentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ContentKey(redacted)")
    }
}

/// Index and key of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveKeys {
    /// Index under which the entry is stored.
    pub index: ArchiveIndex,
    /// Encryption key of the content.
    pub content: ContentKey,
}

/// The operator's secrets for the archive, by generation. Entries are written with the first secret and
/// read with any of them.
pub struct ArchiveSecrets(KeyHasher);

impl ArchiveSecrets {
    /// Takes the secrets in configuration order.
    ///
    /// # Errors
    /// See [`SecretError`].
    pub fn new(secrets: Vec<(HashGeneration, Vec<u8>)>) -> Result<Self, SecretError> {
        KeyHasher::new(secrets).map(Self)
    }

    /// Index and key of a transfer's entry with each secret, in configuration order. Empty for a transfer that is
    /// known by its reference number alone, which others may have.
    pub fn keys(&self, environment: Environment, transfer: &Transfer) -> Vec<ArchiveKeys> {
        let Some(tracking_key) = transfer.tracking_key() else {
            return Vec::new();
        };
        let message = |label| Zeroizing::new(message(label, environment, (transfer, tracking_key)));
        let (index, key) = (message(INDEX_LABEL), message(KEY_LABEL));
        let indexes = self.0.macs(index.as_bytes()).map(ArchiveIndex);
        let keys = self.0.macs(key.as_bytes()).map(ContentKey);
        let both = indexes.zip(keys);
        both.map(|(index, content)| ArchiveKeys { index, content })
            .collect()
    }
}

impl fmt::Debug for ArchiveSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ArchiveSecrets(redacted)")
    }
}

/// The label and all data of the transfer, one item per line. No item contains a line break, so each
/// transfer has a different message.
fn message(
    label: &str,
    environment: Environment,
    (transfer, tracking_key): (&Transfer, &TrackingKey),
) -> String {
    format!(
        "{label}\n{}\n{}\n{}\n{}\n{}\n{}\n{}",
        environment.name(),
        transfer.date(),
        tracking_key.as_str(),
        transfer.account().as_str(),
        transfer.amount().centavos(),
        transfer.issuer(),
        transfer.receiver(),
    )
}

#[cfg(test)]
mod tests {
    use chrono::Days;
    use proptest::prelude::*;

    use super::*;
    use crate::account::Account;
    use crate::amount::Amount;
    use crate::fixture;

    type Facts = (u64, String, String, u64, u32, u32);

    fn secrets(generations: &[u8]) -> ArchiveSecrets {
        ArchiveSecrets::new(fixture::secrets(generations)).unwrap()
    }

    fn transfer((day, key, account, centavos, issuer, receiver): &Facts) -> Transfer {
        let code = |number: &u32| fixture::code(&number.to_string());
        Transfer::new(
            fixture::day("2026-01-01") + Days::new(*day),
            TrackingKey::parse(key).unwrap(),
            Account::parse(account).unwrap(),
            Amount::from_centavos(*centavos).unwrap(),
            code(issuer),
            code(receiver),
        )
        .unwrap()
    }

    fn one() -> Facts {
        let [key, account] = ["MBAN01002611180000000001", "002010077777777771"].map(str::to_owned);
        (321, key, account, 1_000, 40_012, 40_002)
    }

    #[test]
    fn index_and_key_of_a_transfer_never_change() {
        let [keys] = &secrets(&[7]).keys(Environment::Live, &transfer(&one()))[..] else {
            panic!("one secret has one index");
        };
        assert_eq!(keys.index.hex(), GOLDEN_INDEX);
        assert_eq!(hex::encode(keys.content.reveal()), GOLDEN_KEY);
    }

    // Computed with Python's hmac module.
    const GOLDEN_INDEX: &str = "153ce5b4ce3776d8c5d2fdb722c8cc3991117a7a7f46680ce07c3000525c4f29";
    const GOLDEN_KEY: &str = "90aca165bcf370d6d927d647a367500ba389e905216b2fd1914c077bf041aa69";

    #[test]
    fn environments_and_secrets_have_entries_of_their_own_and_old_ones_are_still_read() {
        let of = |listed: &[u8], environment| secrets(listed).keys(environment, &transfer(&one()));
        let live = of(&[1], Environment::Live);
        for other in [of(&[1], Environment::Test), of(&[2], Environment::Live)] {
            assert_ne!(live[0].index, other[0].index);
            assert_ne!(live[0].content, other[0].content);
        }
        let both = [of(&[2], Environment::Live), live].concat();
        assert_eq!(of(&[2, 1], Environment::Live), both);
    }

    #[test]
    fn nothing_secret_is_shown() {
        let secrets = secrets(&[7]);
        let keys = secrets.keys(Environment::Live, &transfer(&one()));
        let shown = "ArchiveSecrets(redacted) [ArchiveKeys { index: ArchiveIndex, content: \
                     ContentKey(redacted) }]";
        assert_eq!(format!("{secrets:?} {keys:?}"), shown);
    }

    #[test]
    fn an_index_is_read_back_from_its_digits() {
        let index = ArchiveIndex([0xAB; 32]);
        assert_eq!(ArchiveIndex::from_hex(&index.hex()), Some(index));
        for text in ["", "ab", &"g".repeat(64), &"a".repeat(66)] {
            assert_eq!(ArchiveIndex::from_hex(text), None);
        }
    }

    proptest! {
        #[test]
        fn any_fact_that_differs_changes_index_and_key(
            [one, other] in prop::array::uniform2((
                0..400_u64, "[!#-;=?-Z]{1,30}", "[0-9]{10}|[0-9]{16}|[0-9]{18}",
                1..u64::MAX, 10_000..50_000_u32, 50_001..99_999_u32,
            )),
        ) {
            let secrets = secrets(&[7]);
            let keys = |facts: &Facts| secrets.keys(Environment::Live, &transfer(facts)).remove(0);
            let whole = keys(&one);
            // Each fact alone, and all of them together.
            for place in 0..7 {
                let pick = |number| place == number || place == 6;
                let mut changed = one.clone();
                if pick(0) { changed.0 = other.0; }
                if pick(1) { changed.1.clone_from(&other.1); }
                if pick(2) { changed.2.clone_from(&other.2); }
                if pick(3) { changed.3 = other.3; }
                if pick(4) { changed.4 = other.4; }
                if pick(5) { changed.5 = other.5; }
                let found = keys(&changed);
                prop_assert_eq!(changed == one, found.index == whole.index);
                prop_assert_eq!(changed == one, found.content == whole.content);
            }
        }
    }
}
