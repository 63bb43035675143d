//! API keys: `cep_<env>_<8 base62>.<24 base62>`, stored as a keyed hash alone.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::customer::{CustomerId, Owner};
use crate::limits::Limits;
use crate::shown::is_hidden;
use crate::variants::named_enum;

mod bounds;
mod listing;
mod secret;
mod text;

pub use bounds::{Addition, BoundReached, KeyBounds, KeyCensus, MOST_NEW_KEYS, NEW_KEYS_SPAN};
pub use listing::{KeyFilter, KeyOverview, KeyQuery, KeySort, RevokedKeys};
pub use secret::{
    HashGeneration, KeyHash, KeyHasher, MIN_SECRET_BYTES, SecretError, SecretFingerprint,
};
pub use text::{FullKey, KeyPrefix, TAG};

/// The identity of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(pub Uuid);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The identity of the counters of a key's limits. A key that was rotated and its successors share
/// them, so that no rotation gives a key a second minute or a second month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CounterId(pub Uuid);

impl From<KeyId> for CounterId {
    /// The counters of a key that succeeds no other, and of its successors.
    fn from(first: KeyId) -> Self {
        Self(first.0)
    }
}

impl fmt::Display for CounterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A key and the counters of its limits. Both never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CountedKey {
    /// The key.
    pub id: KeyId,
    /// The counters of its limits.
    pub counters: CounterId,
}

impl CountedKey {
    /// A key that succeeds no other: its counters have its own id.
    pub const fn first(id: KeyId) -> Self {
        Self {
            id,
            counters: CounterId(id.0),
        }
    }

    /// A successor, which shares the counters of its predecessor.
    pub const fn succeeding(predecessor: Self, id: KeyId) -> Self {
        Self {
            id,
            counters: predecessor.counters,
        }
    }

    /// Returns `true` if the key succeeds no other.
    pub fn is_first(self) -> bool {
        self.counters == self.id.into()
    }
}

impl fmt::Display for CountedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.fmt(f)
    }
}

named_enum! {
    /// The bank that a key queries: the central bank's portal, or the sandbox. Its name is part of
    /// a key's text.
    #[derive(Default)]
    pub enum Environment {
        /// The central bank's portal.
        #[default]
        Live,
        /// The sandbox bank.
        Test,
    }
}

/// A label for a key: 1 to 100 visible characters. Control characters, invisible ones and direction
/// overrides are refused: two keys must not look alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyName(String);

/// Error of parsing a key's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key's name has 1 to 100 characters, none of them invisible or a control character")]
pub struct KeyNameError;

impl KeyName {
    /// Parses a name; surrounding blanks are dropped.
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

/// Returns `true` for a visible character or a blank.
fn is_visible(character: char) -> bool {
    !character.is_control() && !is_hidden(character)
}

/// An API key without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its identity.
    pub id: KeyId,
    /// The counters of its limits.
    pub counters: CounterId,
    /// The customer.
    pub customer: CustomerId,
    /// The customer's identity.
    pub owner: Owner,
    /// Its label.
    pub name: KeyName,
    /// Its public part.
    pub prefix: KeyPrefix,
    /// Its limits.
    pub limits: Limits,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time of automatic revocation after a rotation; `None` for a key without a successor.
    pub retires_at: Option<DateTime<Utc>>,
    /// Time of revocation; `None` while it is active. Revocation is final.
    pub revoked_at: Option<DateTime<Utc>>,
    /// Last use, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
}

impl ApiKey {
    /// The key with its counters.
    pub fn counted(&self) -> CountedKey {
        CountedKey {
            id: self.id,
            counters: self.counters,
        }
    }

    /// The key's status.
    pub fn status(&self) -> KeyStatus {
        match (self.revoked_at, self.retires_at) {
            (Some(_), _) => KeyStatus::Revoked,
            (None, Some(_)) => KeyStatus::Retiring,
            (None, None) => KeyStatus::Active,
        }
    }
}

named_enum! {
    /// Status of a key.
    pub enum KeyStatus {
        /// It is accepted.
        Active,
        /// It is accepted until it revokes itself.
        Retiring,
        /// It is refused.
        Revoked,
    }
}

/// Grace period: time for which a rotated key works beside its successor, 0 to 7 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace(u32);

/// Longest grace period, in hours.
pub const MAX_GRACE_HOURS: u32 = 7 * 24;

/// Error of a grace period out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a time of grace has 0 to {MAX_GRACE_HOURS} hours")]
pub struct GraceError;

impl Grace {
    /// A grace period in hours.
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

    /// End of a grace period that begins now.
    pub fn end(self, now: DateTime<Utc>) -> DateTime<Utc> {
        now + TimeDelta::hours(i64::from(self.0))
    }
}

/// Data to verify a presented key. It never changes while the key exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The key.
    pub id: KeyId,
    /// The counters of its limits.
    pub counters: CounterId,
    /// The customer.
    pub customer: CustomerId,
    /// The keyed hash of the whole key.
    pub hash: KeyHash,
    /// The generation of the secret that made the hash.
    pub generation: HashGeneration,
}

impl Credential {
    /// The key with its counters.
    pub fn counted(&self) -> CountedKey {
        CountedKey {
            id: self.id,
            counters: self.counters,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_any_script_is_accepted_but_one_with_invisible_characters_is_refused() {
        for text in ["Caja 4 — «ñandú» 👩‍💻", " till 4 "] {
            assert_eq!(KeyName::parse(text).unwrap().as_str(), text.trim());
        }
        for text in [
            "till\u{200B}4",
            "\u{FEFF}",
            "\u{202E}4 llit",
            "till\u{2028}4",
            "till\n4",
            " ",
        ] {
            assert_eq!(KeyName::parse(text), Err(KeyNameError), "{text:?}");
        }
    }
}
