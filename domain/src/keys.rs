//! API keys: `cep_<env>_<8 base62>.<24 base62>`. Only a keyed hash of them is stored.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::limits::Limits;
use crate::people::customer::{CustomerId, Owner};
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

/// Unique id of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(pub Uuid);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Id of the counters of a key's limits. A rotated key and its successors share them, so that rotation
/// doesn't grant a second allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CounterId(pub Uuid);

impl From<KeyId> for CounterId {
    /// The counters of a key that has no predecessor.
    fn from(first: KeyId) -> Self {
        Self(first.0)
    }
}

impl fmt::Display for CounterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Ids of a key and of the counters of its limits. Neither changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CountedKey {
    /// Id of the key.
    pub id: KeyId,
    /// The counters of its limits, shared with its predecessors.
    pub counters: CounterId,
}

impl CountedKey {
    /// A key without a predecessor: its counters have its own id.
    pub const fn first(id: KeyId) -> Self {
        Self {
            id,
            counters: CounterId(id.0),
        }
    }

    /// A key that succeeds another one and shares its counters.
    pub const fn succeeding(predecessor: Self, id: KeyId) -> Self {
        Self {
            id,
            counters: predecessor.counters,
        }
    }

    /// Returns `true` if the key has no predecessor.
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
        /// The central bank's portal, with real payments.
        #[default]
        Live,
        /// The sandbox bank, with invented payments.
        Test,
    }
}

/// A label for a key: 1 to 100 visible characters. Control and invisible characters and direction
/// overrides are refused, so that no two different names look the same.
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

    /// The name without surrounding blanks.
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
    /// Unique id.
    pub id: KeyId,
    /// The counters of its limits, shared with its predecessors.
    pub counters: CounterId,
    /// Id of the customer that owns the key.
    pub customer: CustomerId,
    /// The customer's identity at the identity provider.
    pub owner: Owner,
    /// Label chosen by the customer.
    pub name: KeyName,
    /// Public part of the key's text, before the dot.
    pub prefix: KeyPrefix,
    /// Limits per minute and per month.
    pub limits: Limits,
    /// When the key was created.
    pub created_at: DateTime<Utc>,
    /// Time of automatic revocation after a rotation; `None` for a key without a successor.
    pub retires_at: Option<DateTime<Utc>>,
    /// Time of revocation; `None` while it is active. Revocation is final.
    pub revoked_at: Option<DateTime<Utc>>,
    /// Last use, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
}

impl ApiKey {
    /// The ids of the key and of its counters.
    pub fn counted(&self) -> CountedKey {
        CountedKey {
            id: self.id,
            counters: self.counters,
        }
    }

    /// Derived from the times of revocation and retirement.
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
        /// The key is accepted.
        Active,
        /// The key was rotated and is accepted until its grace period ends.
        Retiring,
        /// The key is refused.
        Revoked,
    }
}

/// Grace period: hours during which a rotated key still works, 0 to 7 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace(u32);

/// Longest grace period, in hours.
pub const MAX_GRACE_HOURS: u32 = 7 * 24;

/// Error of a grace period out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a time of grace has 0 to {MAX_GRACE_HOURS} hours")]
pub struct GraceError;

impl Grace {
    /// Checks a grace period in hours.
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

    /// End of a grace period that begins at `now`.
    pub fn end(self, now: DateTime<Utc>) -> DateTime<Utc> {
        now + TimeDelta::hours(i64::from(self.0))
    }
}

/// Data to verify a presented key. None of it changes while the key exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// Id of the key.
    pub id: KeyId,
    /// The counters of its limits, shared with its predecessors.
    pub counters: CounterId,
    /// Id of the customer that owns the key.
    pub customer: CustomerId,
    /// The keyed hash of the whole key.
    pub hash: KeyHash,
    /// Generation of the secret with which the hash was made.
    pub generation: HashGeneration,
}

impl Credential {
    /// The ids of the key and of its counters.
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
