//! Limits that an admin gives to a key.

use domain::limits::{LimitsChange, LimitsError, Plan};

/// Limits to set: those of a plan, single ones, or a plan's with single ones instead of its own. A limit that
/// neither names stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewLimits {
    /// Plan whose limits are set. The account's own plan stays as it is.
    pub plan: Option<Plan>,
    /// Requests in any 60 seconds.
    pub per_minute: Option<u32>,
    /// Requests in a UTC calendar month; the inner `None` lifts the cap.
    pub monthly_quota: Option<Option<u64>>,
}

/// Error of limits to set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NewLimitsError {
    /// Neither a plan nor a limit is given.
    #[error("no limit is given")]
    Empty,
    /// The limits that are out of range, at least one.
    #[error("limits are out of range: {0:?}")]
    OutOfRange(Vec<LimitsError>),
}

impl NewLimits {
    /// The change of a key's limits.
    ///
    /// # Errors
    /// A [`NewLimitsError`] when no limit is given, or when limits are out of range.
    pub fn change(self) -> Result<LimitsChange, NewLimitsError> {
        let plan = self.plan.map(|plan| plan.limits().into());
        let plan: LimitsChange = plan.unwrap_or_default();
        let per_minute = self.per_minute.or(plan.per_minute());
        let monthly_quota = self.monthly_quota.or(plan.monthly_quota());
        if per_minute.is_none() && monthly_quota.is_none() {
            return Err(NewLimitsError::Empty);
        }
        LimitsChange::new(per_minute, monthly_quota).map_err(|_| {
            let minute = LimitsChange::new(per_minute, None).err();
            let month = LimitsChange::new(None, monthly_quota).err();
            NewLimitsError::OutOfRange(minute.into_iter().chain(month).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_limits_go_before_those_of_a_plan() {
        let change = |plan, per_minute, monthly_quota| {
            let limits = NewLimits {
                plan,
                per_minute,
                monthly_quota,
            };
            let change = limits.change()?;
            Ok((change.per_minute(), change.monthly_quota()))
        };
        let startup = Some(Plan::Startup);
        assert_eq!(
            change(startup, None, None),
            Ok((Some(60), Some(Some(1_000))))
        );
        assert_eq!(
            change(startup, Some(7), None),
            Ok((Some(7), Some(Some(1_000))))
        );
        assert_eq!(
            change(startup, None, Some(None)),
            Ok((Some(60), Some(None)))
        );
        assert_eq!(change(None, Some(7), None), Ok((Some(7), None)));
        assert_eq!(change(None, None, None), Err(NewLimitsError::Empty));
        let both = vec![LimitsError::PerMinute, LimitsError::MonthlyQuota];
        let both = Err(NewLimitsError::OutOfRange(both));
        assert_eq!(change(startup, Some(0), Some(Some(0))), both);
    }
}
