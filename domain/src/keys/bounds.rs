//! Bounds on the number of keys of a customer. Each key has its own limits, so without these bounds
//! more keys would allow any rate.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use crate::limits::Plan;

/// Maximum number of keys that a customer may create or rotate in any hour, including those revoked
/// since.
pub const MOST_NEW_KEYS: usize = 20;
/// Period in which [`MOST_NEW_KEYS`] are counted.
pub const NEW_KEYS_SPAN: TimeDelta = TimeDelta::hours(1);

/// Bounds that apply to a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyBounds {
    /// The bounds of the customer's plan, whatever limits the customer's keys have.
    OfPlan,
    /// No bounds, for keys created by the operator.
    Unbounded,
}

/// Effect of a new key on the customer's number of active keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addition {
    /// One more active key: a created key, or a successor beside its retiring predecessor.
    Another,
    /// The same number of active keys: the predecessor is revoked in the same step.
    Replacement,
}

/// Number of a customer's keys that count against its bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyCensus {
    /// Number of keys that aren't revoked, including retiring ones.
    pub active: u64,
    /// Creation times of the newest keys within [`NEW_KEYS_SPAN`], newest first, at most
    /// [`MOST_NEW_KEYS`].
    pub created: Vec<DateTime<Utc>>,
}

/// Reason why a new key is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoundReached {
    /// The customer has as many active keys as its plan allows, and must revoke one first.
    #[error("the customer has as many active keys as its plan allows ({most})")]
    Active {
        /// Maximum number of active keys.
        most: u64,
    },
    /// The customer created or rotated [`MOST_NEW_KEYS`] keys in the last hour.
    #[error("the customer created or rotated {MOST_NEW_KEYS} keys within an hour")]
    New {
        /// Time until the customer may create another key.
        retry_after: Duration,
    },
}

impl Plan {
    /// Maximum number of keys that aren't revoked.
    pub fn most_active_keys(self) -> u64 {
        match self {
            Self::Startup => 10,
            Self::Enterprise => 1_000,
        }
    }
}

impl KeyCensus {
    /// Checks that a customer with this plan may add a key.
    ///
    /// # Errors
    /// [`BoundReached`]. If both bounds are reached, [`BoundReached::Active`], because waiting doesn't
    /// help.
    pub fn check(
        &self,
        plan: Plan,
        addition: Addition,
        now: DateTime<Utc>,
    ) -> Result<(), BoundReached> {
        let most = plan.most_active_keys();
        if addition == Addition::Another && self.active >= most {
            return Err(BoundReached::Active { most });
        }
        let Some(oldest) = self.created.get(MOST_NEW_KEYS - 1) else {
            return Ok(());
        };
        let left = *oldest + NEW_KEYS_SPAN - now;
        match left.to_std() {
            Ok(retry_after) if !retry_after.is_zero() => Err(BoundReached::New { retry_after }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::minutes(minute)
    }

    /// A customer that creates a key each of these minutes, if it may; the minutes at which it did.
    fn creations(minutes: impl IntoIterator<Item = i64>) -> Vec<i64> {
        let mut created: Vec<i64> = Vec::new();
        for minute in minutes {
            let recent = created.iter().rev().map(|created| at(*created));
            let census = KeyCensus {
                active: 0,
                created: recent
                    .filter(|created| *created > at(minute) - NEW_KEYS_SPAN)
                    .take(MOST_NEW_KEYS)
                    .collect(),
            };
            let checked = census.check(Plan::Startup, Addition::Another, at(minute));
            if let Err(BoundReached::New { retry_after }) = checked {
                let free = at(minute) + TimeDelta::from_std(retry_after).unwrap();
                let later = census.check(Plan::Startup, Addition::Another, free);
                assert_eq!(later, Ok(()), "retry_after is too short");
                continue;
            }
            created.push(minute);
        }
        created
    }

    proptest! {
        #[test]
        fn no_hour_has_more_new_keys_than_the_bound(
            pauses in prop::collection::vec(0_i64..12, 1..120),
        ) {
            let minutes = pauses.into_iter().scan(0, |now, pause| {
                *now += pause;
                Some(*now)
            });
            let created = creations(minutes);
            for hour in created.windows(MOST_NEW_KEYS + 1) {
                prop_assert!(hour[MOST_NEW_KEYS] - hour[0] >= 60);
            }
        }
    }

    #[test]
    fn a_replacement_needs_no_room_and_another_key_does() {
        for (plan, most) in [(Plan::Startup, 10), (Plan::Enterprise, 1_000)] {
            let census = |active| KeyCensus {
                active,
                created: Vec::new(),
            };
            let check = |active, addition| census(active).check(plan, addition, at(0));
            assert_eq!(check(most - 1, Addition::Another), Ok(()));
            let refused = Err(BoundReached::Active { most });
            assert_eq!(check(most, Addition::Another), refused);
            assert_eq!(check(most + 5, Addition::Another), refused);
            assert_eq!(check(most + 5, Addition::Replacement), Ok(()));
        }
    }
}
