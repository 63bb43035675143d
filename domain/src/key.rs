//! API keys: `cep_<env>_<8 base62>.<24 base62>`, of which only a keyed hash is kept.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use zeroize::ZeroizeOnDrop;

use crate::customer::CustomerId;
use crate::limits::Limits;

mod secret;

pub use secret::{HashGeneration, KeyHash, KeyHasher, MIN_SECRET_BYTES, SecretError, SecretMark};

/// The fixed first part of every key.
pub const TAG: &str = "cep";
const PREFIX_LENGTH: usize = 8;
const SECRET_LENGTH: usize = 24;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The identity of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(pub Uuid);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Which bank a key asks: the central bank's portal, or the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Environment {
    /// The central bank's portal.
    Live,
    /// The sandbox bank.
    Test,
}

impl Environment {
    /// `live` or `test`, as it stands in a key.
    pub fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }

    /// Reads `live` or `test`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Live, Self::Test]
            .into_iter()
            .find(|environment| environment.name() == name)
    }
}

/// The public part of a key: `cep_live_AbCd1234`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyPrefix(String);

impl KeyPrefix {
    /// Reads a prefix; `None` when it hasn't the shape of one.
    pub fn parse(text: &str) -> Option<Self> {
        let (environment, lookup) = text.strip_prefix(TAG)?.strip_prefix('_')?.split_once('_')?;
        Environment::from_name(environment)?;
        is_base62(lookup, PREFIX_LENGTH).then(|| Self(text.to_owned()))
    }

    /// The whole prefix.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The environment that stands in it.
    pub fn environment(&self) -> Environment {
        if self.0[TAG.len() + 1..].starts_with(Environment::Live.name()) {
            Environment::Live
        } else {
            Environment::Test
        }
    }
}

/// A whole key, secret included. Wiped from memory when dropped; `Debug` shows the prefix only.
#[derive(Clone, PartialEq, Eq, ZeroizeOnDrop)]
pub struct FullKey {
    text: String,
    #[zeroize(skip)]
    prefix: KeyPrefix,
}

impl FullKey {
    /// Reads a key by its shape, `^cep_(live|test)_[0-9A-Za-z]{8}\.[0-9A-Za-z]{24}$`; `None`
    /// otherwise. Nothing is looked up.
    pub fn parse(text: &str) -> Option<Self> {
        let (prefix, secret) = text.split_once('.')?;
        let prefix = KeyPrefix::parse(prefix)?;
        is_base62(secret, SECRET_LENGTH).then(|| Self {
            text: text.to_owned(),
            prefix,
        })
    }

    /// Whether a whole key stands somewhere in a text, which must not be kept then.
    pub fn stands_in(text: &str) -> bool {
        let length = TAG.len() + "_live_".len() + PREFIX_LENGTH + 1 + SECRET_LENGTH;
        text.match_indices(TAG).any(|(at, _)| {
            let part = text.get(at..at + length);
            part.is_some_and(|part| Self::parse(part).is_some())
        })
    }

    /// A new key from random bytes; `fill` must fill its buffer from a cryptographic source.
    pub fn generate(environment: Environment, fill: &mut dyn FnMut(&mut [u8])) -> Self {
        let mut text = String::with_capacity(TAG.len() + 6 + PREFIX_LENGTH + 1 + SECRET_LENGTH);
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

    /// The public part.
    pub fn prefix(&self) -> &KeyPrefix {
        &self.prefix
    }

    /// The whole key, to be shown once at creation and to be hashed.
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

/// Appends `count` base62 characters without bias: bytes of 248 and more are thrown away.
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

/// A label that a person chose for a key: 1 to 100 characters that can be seen. None is a control
/// character, or one that is invisible or turns text around: two keys must not look alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyName(String);

/// Why a text is no name of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key's name has 1 to 100 characters, none of them invisible or a control character")]
pub struct KeyNameError;

impl KeyName {
    /// Reads a name; blanks around it are dropped.
    ///
    /// # Errors
    /// [`KeyNameError`].
    pub fn parse(text: &str) -> Result<Self, KeyNameError> {
        let name = text.trim();
        let fits = (1..=100).contains(&name.chars().count()) && name.chars().all(is_visible);
        if fits {
            Ok(Self(name.to_owned()))
        } else {
            Err(KeyNameError)
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a character shows itself, or is a blank. Joiners are left to the scripts and the emoji
/// that need them.
fn is_visible(character: char) -> bool {
    let is_hidden = matches!(
        character,
        '\u{AD}' // soft hyphen
            | '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' // direction
            | '\u{180E}' | '\u{200B}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' // no width
            | '\u{2028}' | '\u{2029}' // ends of lines and paragraphs
            | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' // annotations, tags
    );
    !character.is_control() && !is_hidden
}

/// Whose key it is: a subject of an identity provider.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// The provider that vouches for the subject.
    pub issuer: String,
    /// The subject, unique at its issuer.
    pub subject: String,
}

impl Owner {
    /// The owner of keys that the machine's operator makes on the command line.
    pub fn operator() -> Self {
        Self {
            issuer: "cli".to_owned(),
            subject: "operator".to_owned(),
        }
    }

    /// Who revokes a key whose time of grace is over.
    pub fn gateway() -> Self {
        Self {
            issuer: "gateway".to_owned(),
            subject: "retirement".to_owned(),
        }
    }
}

/// An API key as everybody but its holder knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its identity.
    pub id: KeyId,
    /// Whose it is.
    pub customer: CustomerId,
    /// Who that is.
    pub owner: Owner,
    /// Its label.
    pub name: KeyName,
    /// Its public part.
    pub prefix: KeyPrefix,
    /// Its limits.
    pub limits: Limits,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it revokes itself, because it was rotated; `None` for a key without a successor.
    pub retires_at: Option<DateTime<Utc>>,
    /// When it was revoked; `None` while it is active. There is no way back.
    pub revoked_at: Option<DateTime<Utc>>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
}

impl ApiKey {
    /// What it is good for.
    pub fn status(&self) -> KeyStatus {
        match (self.revoked_at, self.retires_at) {
            (Some(_), _) => KeyStatus::Revoked,
            (None, Some(_)) => KeyStatus::Retiring,
            (None, None) => KeyStatus::Active,
        }
    }
}

/// What a key is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyStatus {
    /// Requests.
    Active,
    /// Requests, until it revokes itself.
    Retiring,
    /// Nothing.
    Revoked,
}

impl KeyStatus {
    /// `active`, `retiring` or `revoked`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Retiring => "retiring",
            Self::Revoked => "revoked",
        }
    }

    /// Reads `active`, `retiring` or `revoked`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Active, Self::Retiring, Self::Revoked]
            .into_iter()
            .find(|status| status.name() == name)
    }
}

/// How long a rotated key goes on working beside its successor: 0 to 7 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace(u32);

/// Longest time of grace, in hours.
pub const MAX_GRACE_HOURS: u32 = 7 * 24;

/// Why a number of hours is no time of grace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a time of grace has 0 to {MAX_GRACE_HOURS} hours")]
pub struct GraceError;

impl Grace {
    /// So many hours.
    ///
    /// # Errors
    /// [`GraceError`] for more than 7 days.
    pub fn from_hours(hours: u32) -> Result<Self, GraceError> {
        if hours <= MAX_GRACE_HOURS {
            Ok(Self(hours))
        } else {
            Err(GraceError)
        }
    }

    /// Its end, when it begins now.
    pub fn end(self, now: DateTime<Utc>) -> DateTime<Utc> {
        now + TimeDelta::hours(i64::from(self.0))
    }
}

/// What is needed to check a presented key. It never changes while the key exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The key.
    pub id: KeyId,
    /// Whose it is.
    pub customer: CustomerId,
    /// The keyed hash of the whole key.
    pub hash: KeyHash,
    /// The generation of the secret that made the hash.
    pub generation: HashGeneration,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    const GOOD: &str = "cep_live_AbCd1234.0123456789abcdefghijABCD";

    #[test]
    fn a_key_is_found_wherever_it_stands() {
        for text in [
            GOOD.to_owned(),
            format!("cep:cep_{GOOD}-2"),
            format!("ñ{GOOD}9"),
        ] {
            assert!(FullKey::stands_in(&text), "{text}");
        }
        for text in [
            "",
            "cep",
            "cep_live_AbCd1234",
            &GOOD[1..],
            &GOOD[..GOOD.len() - 1],
        ] {
            assert!(!FullKey::stands_in(text), "{text}");
        }
    }

    #[test]
    fn a_key_is_read_by_its_shape() {
        let key = FullKey::parse(GOOD).unwrap();
        assert_eq!(key.prefix().as_str(), "cep_live_AbCd1234");
        assert_eq!(key.prefix().environment(), Environment::Live);
        assert_eq!(key.reveal(), GOOD);
    }

    #[rstest]
    #[case("")]
    #[case("cep_live_AbCd1234")]
    #[case("cep_prod_AbCd1234.0123456789abcdefghijABCD")]
    #[case("cep_live_AbCd123.0123456789abcdefghijABCD")]
    #[case("cep_live_AbCd12345.0123456789abcdefghijABCD")]
    #[case("cep_live_AbCd1234.0123456789abcdefghijABC")]
    #[case("cep_live_AbCd1234.0123456789abcdefghijABCDE")]
    #[case("cep_live_AbCd1234.0123456789abcdefghijABC-")]
    #[case("CEP_live_AbCd1234.0123456789abcdefghijABCD")]
    #[case("cep_live_AbCd1234.0123456789abcdefghijABCD ")]
    #[case("cep_live_ÁbCd123.0123456789abcdefghijABCD")]
    fn another_shape_is_no_key(#[case] text: &str) {
        assert_eq!(FullKey::parse(text), None);
    }

    #[rstest]
    #[case("till\u{200B}4")]
    #[case("\u{FEFF}")]
    #[case("\u{202E}4 llit")]
    #[case("till\u{2028}4")]
    #[case("till\n4")]
    #[case(" ")]
    fn a_name_that_cannot_be_seen_as_it_is_is_none(#[case] text: &str) {
        assert_eq!(KeyName::parse(text), Err(KeyNameError));
    }

    #[rstest]
    #[case("Caja 4 — «ñandú» 👩‍💻")]
    #[case(" till 4 ")]
    fn a_name_in_any_script_is_kept(#[case] text: &str) {
        assert_eq!(KeyName::parse(text).unwrap().as_str(), text.trim());
    }

    #[test]
    fn debug_shows_no_secret() {
        let key = FullKey::parse(GOOD).unwrap();
        assert_eq!(format!("{key:?}"), "FullKey(cep_live_AbCd1234.redacted)");
    }

    #[test]
    fn unfair_bytes_are_thrown_away() {
        let mut next = 255_u8;
        let mut fill = |bytes: &mut [u8]| {
            bytes.fill(next);
            next = next.wrapping_sub(1);
        };
        let key = FullKey::generate(Environment::Test, &mut fill);
        // 255 down to 248 are refused; 247 is the last fair byte and stands for base62's last.
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

        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "\\PC*") {
            let _ = FullKey::parse(&text);
            let _ = KeyName::parse(&text);
        }
    }
}
