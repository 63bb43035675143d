//! The text of an API key, and its public prefix.

use std::fmt;

use zeroize::ZeroizeOnDrop;

use super::Environment;

/// Fixed first part of every key.
pub const TAG: &str = "cep";
const PREFIX_LENGTH: usize = 8;
const SECRET_LENGTH: usize = 24;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Length of a key; the names of both environments have four letters.
const LENGTH: usize = TAG.len() + "_live_".len() + PREFIX_LENGTH + ".".len() + SECRET_LENGTH;

/// The public part of a key: `cep_live_AbCd1234`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyPrefix(String);

impl KeyPrefix {
    /// Parses a prefix; `None` for any other shape.
    pub fn parse(text: &str) -> Option<Self> {
        let (environment, lookup) = text.strip_prefix(TAG)?.strip_prefix('_')?.split_once('_')?;
        Environment::from_name(environment)?;
        is_base62(lookup, PREFIX_LENGTH).then(|| Self(text.to_owned()))
    }

    /// The prefix as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The environment named in the prefix.
    pub fn environment(&self) -> Environment {
        if self.0[TAG.len() + 1..].starts_with(Environment::Live.name()) {
            Environment::Live
        } else {
            Environment::Test
        }
    }
}

/// A full key including its secret. It is wiped from memory when dropped; `Debug` shows only the
/// prefix.
#[derive(Clone, PartialEq, Eq, ZeroizeOnDrop)]
pub struct FullKey {
    text: String,
    #[zeroize(skip)]
    prefix: KeyPrefix,
}

impl FullKey {
    /// Parses a key by its form, `^cep_(live|test)_[0-9A-Za-z]{8}\.[0-9A-Za-z]{24}$`; `None` for any
    /// other text. It doesn't check that the key exists.
    pub fn parse(text: &str) -> Option<Self> {
        let (prefix, secret) = text.split_once('.')?;
        let prefix = KeyPrefix::parse(prefix)?;
        is_base62(secret, SECRET_LENGTH).then(|| Self {
            text: text.to_owned(),
            prefix,
        })
    }

    /// Returns `true` if a text contains a full key, so that it must not be stored.
    pub fn occurs_in(text: &str) -> bool {
        text.match_indices(TAG).any(|(at, _)| {
            let part = text.get(at..at + LENGTH);
            part.is_some_and(|part| Self::parse(part).is_some())
        })
    }

    /// Generates a key; `fill` must fill its buffer from a cryptographic source.
    pub fn generate(environment: Environment, fill: &mut dyn FnMut(&mut [u8])) -> Self {
        let mut text = String::with_capacity(LENGTH);
        text.push_str(TAG);
        text.push('_');
        text.push_str(environment.name());
        text.push('_');
        push_base62(&mut text, PREFIX_LENGTH, fill);
        let prefix = KeyPrefix(text.clone());
        text.push('.');
        push_base62(&mut text, SECRET_LENGTH, fill);
        Self { text, prefix }
    }

    /// The public part of the key.
    pub fn prefix(&self) -> &KeyPrefix {
        &self.prefix
    }

    /// The full key, only for hashing and for showing it once at creation.
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for FullKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FullKey({}.redacted)", self.prefix.as_str())
    }
}

fn is_base62(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Appends `count` base62 characters without bias: bytes of 248 and more are discarded.
fn push_base62(text: &mut String, count: usize, fill: &mut dyn FnMut(&mut [u8])) {
    let mut left = count;
    let mut bytes = [0; 32];
    while left > 0 {
        fill(&mut bytes);
        let fair = bytes.iter().filter(|byte| **byte < 248).take(left);
        let before = text.len();
        text.extend(fair.map(|byte| char::from(BASE62[usize::from(byte % 62)])));
        left -= text.len() - before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GOOD: &str = "cep_live_AbCd1234.0123456789abcdefghijABCD";

    #[test]
    fn a_key_is_found_wherever_it_stands() {
        for text in [GOOD, &format!("cep:cep_{GOOD}-2"), &format!("ñ{GOOD}9")] {
            assert!(FullKey::occurs_in(text), "{text}");
        }
        let cut_off = &GOOD[..GOOD.len() - 1];
        for text in ["", "cep", "cep_live_AbCd1234", &GOOD[1..], cut_off] {
            assert!(!FullKey::occurs_in(text), "{text}");
        }
    }

    #[test]
    fn a_key_is_read_by_its_shape_and_shows_no_secret() {
        let key = FullKey::parse(GOOD).unwrap();
        assert_eq!(key.prefix().as_str(), "cep_live_AbCd1234");
        assert_eq!(key.prefix().environment(), Environment::Live);
        assert_eq!(key.reveal(), GOOD);
        assert_eq!(format!("{key:?}"), "FullKey(cep_live_AbCd1234.redacted)");
    }

    #[test]
    fn another_shape_is_no_key() {
        for (from, to) in [
            (GOOD, ""),
            (".0123456789abcdefghijABCD", ""),
            ("live", "prod"),
            ("cep", "CEP"),
            ("1234.", "123."),
            ("1234.", "12345."),
            ("ABCD", "ABC"),
            ("ABCD", "ABCDE"),
            ("ABCD", "ABC-"),
            ("ABCD", "ABCD "),
            ("AbCd1234.", "ÁbCd123."),
        ] {
            assert!(GOOD.contains(from));
            let text = GOOD.replace(from, to);
            assert_eq!(FullKey::parse(&text), None, "{text}");
        }
    }

    #[test]
    fn biased_bytes_are_discarded() {
        let mut next = 255_u8;
        let mut fill = |bytes: &mut [u8]| {
            bytes.fill(next);
            next = next.wrapping_sub(1);
        };
        let key = FullKey::generate(Environment::Test, &mut fill);
        // 255 down to 248 are discarded; 247 is the last unbiased byte and stands for base62's last
        // digit.
        assert_eq!(key.prefix().as_str(), "cep_test_zzzzzzzz");
    }

    proptest! {
        #[test]
        fn a_generated_key_has_the_shape(seed: [u8; 32], live: bool) {
            let mut state = seed;
            let mut fill = |bytes: &mut [u8]| {
                for (place, byte) in bytes.iter_mut().enumerate() {
                    state[place % 32] = state[place % 32].wrapping_mul(37).wrapping_add(11);
                    *byte = state[place % 32];
                }
            };
            let environment = if live { Environment::Live } else { Environment::Test };
            let key = FullKey::generate(environment, &mut fill);
            prop_assert_eq!(FullKey::parse(key.reveal()), Some(key.clone()));
            prop_assert_eq!(key.prefix().environment(), environment);
        }
    }
}
