//! Stored lookups: requests for a proof that the gateway processes in the background.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::outcome::Outcome;
use crate::variants::named_enum;

mod metadata;
mod place;
mod retry;
mod secrets;

pub use metadata::{MAX_PAIRS, Metadata, MetadataError};
pub use place::{OtherQueue, QueueAhead, QueuePlace};
pub use retry::{NextStep, RetryRule, RetryScale, RetryScaleError, last_answer};
pub use secrets::{BatchPart, LookupSecrets, Part};

/// Id of a lookup, the same as that of the request that created it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LookupId(pub Uuid);

impl LookupId {
    /// Parses a UUID in any of its usual forms.
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }
}

impl fmt::Display for LookupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

named_enum! {
    /// State of a lookup.
    pub enum LookupState {
        /// The lookup waits for its first attempt.
        Queued,
        /// An attempt is being made.
        Running,
        /// The lookup waits for its next attempt.
        Waiting,
        /// The proof was delivered.
        Delivered,
        /// Several transfers have the reference number: the caller chooses one by its tracking key.
        Ambiguous,
        /// The bank has no record of the transfer, or issues no proof because it was returned, rejected
        /// or canceled.
        NotFound,
        /// The bank gave no answer.
        Failed,
        /// The bank knows the transfer, but issued no proof in time.
        Expired,
        /// The caller canceled it, or the key was revoked.
        Canceled,
    }
}

impl LookupState {
    /// Returns `true` if the state can't change any more.
    pub fn is_final(self) -> bool {
        match self {
            Self::Queued | Self::Running | Self::Waiting => false,
            Self::Delivered
            | Self::Ambiguous
            | Self::NotFound
            | Self::Failed
            | Self::Expired
            | Self::Canceled => true,
        }
    }
}

/// One attempt of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// When the attempt ended.
    pub at: DateTime<Utc>,
    /// Result of the attempt.
    pub outcome: Outcome,
}

/// Time after its creation during which a lookup is retried, in whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryFor(u32);

/// Error of a time longer than [`RetryFor::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number of seconds from 0 to {}", RetryFor::MAX.0)]
pub struct RetryForError;

impl RetryFor {
    /// Three days, the longest time.
    pub const MAX: Self = Self(259_200);
    /// One day, used if the caller gives no time.
    pub const DEFAULT: Self = Self(86_400);

    /// Checks a time in seconds.
    ///
    /// # Errors
    /// [`RetryForError`] for more than [`Self::MAX`].
    pub fn from_secs(seconds: u64) -> Result<Self, RetryForError> {
        let seconds = u32::try_from(seconds).map_err(|_| RetryForError)?;
        if seconds > Self::MAX.0 {
            return Err(RetryForError);
        }
        Ok(Self(seconds))
    }

    /// The time as a duration.
    pub fn duration(self) -> Duration {
        Duration::from_secs(self.0.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_time_is_three_days() {
        assert_eq!(RetryFor::from_secs(259_200), Ok(RetryFor::MAX));
        assert_eq!(RetryFor::from_secs(259_201), Err(RetryForError));
        assert_eq!(RetryFor::from_secs(u64::MAX), Err(RetryForError));
        assert_eq!(RetryFor::MAX.duration(), Duration::from_hours(72));
    }

    #[test]
    fn an_id_is_read_as_it_was_written() {
        let id = LookupId(Uuid::from_u128(7));
        assert_eq!(LookupId::parse(&id.to_string()), Some(id));
        assert_eq!(LookupId::parse("7"), None);
    }

    #[test]
    fn three_states_are_followed_by_others() {
        let open = LookupState::ALL
            .into_iter()
            .filter(|state| !state.is_final());
        assert!(
            open.map(LookupState::name)
                .eq(["queued", "running", "waiting"])
        );
    }
}
