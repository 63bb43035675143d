//! Bounds on the keys of one customer. Each key has limits of its own, so without these any number
//! of keys would be any rate.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use crate::limits::Plan;

/// Keys that a customer may create or rotate in any hour. One that was revoked since counts.
pub const MOST_NEW_KEYS: usize = 20;
/// The time in which [`MOST_NEW_KEYS`] are counted.
pub const NEW_KEYS_SPAN: TimeDelta = TimeDelta::hours(1);

/// Bounds that apply to a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyBounds {
    /// Those of its customer's plan, whatever limits the customer's keys have.
    OfPlan,
    /// None: the operator of the machine creates it.
    Unbounded,
}

/// Effect of a new key on the number of its customer's active keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addition {
    /// One more is active: a created key, or a successor beside its retiring predecessor.
    Another,
    /// As many are active: the predecessor is revoked in the same step.
    Replacement,
}

/// The keys of a customer that count against its bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyCensus {
    /// Keys that aren't revoked; retiring ones count.
    pub active: u64,
    /// Times at which the newest keys were created within [`NEW_KEYS_SPAN`], newest first; all of
    /// them, or [`MOST_NEW_KEYS`].
    pub created: Vec<DateTime<Utc>>,
}

/// Refusal of a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoundReached {
    /// The customer has as many active keys as its plan allows: one has to be revoked first.
    #[error("the customer has as many active keys as its plan allows ({most})")]
    Active {
        /// The bound.
        most: u64,
    },
    /// The customer created or rotated as many keys in an hour as it may.
    #[error("the customer created or rotated {MOST_NEW_KEYS} keys within an hour")]
    New {
        /// Time until it may create the next one.
        retry_after: Duration,
    },
}

impl Plan {
    /// Keys that aren't revoked, at most.
    pub fn most_active_keys(self) -> u64 {
        match self {
            Self::Startup => 10,
            Self::Enterprise => 1_000,
        }
    }
}

impl KeyCensus {
    /// Checks that a customer of this plan may add a key.
    ///
    /// # Errors
    /// [`BoundReached`]; the number of active keys when both bounds are reached, for waiting doesn't
    /// help then.
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
