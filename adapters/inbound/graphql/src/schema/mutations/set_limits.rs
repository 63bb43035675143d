//! Input, payload and resolver of `adminSetLimits`.

use async_graphql::{Context, ID, InputObject, MaybeUndefined};
use domain::limits::{LimitsChange, LimitsError, MAX_MONTHLY_QUOTA, MAX_PER_MINUTE};
use web::problem::UserProblem;

use super::KeyPayload;
use crate::field_error::FieldError;
use crate::schema::context::{ports, requester};
use crate::schema::enums::Plan;
use crate::schema::scalars::Count;
use crate::schema::user_error::{InputErrors, payload};

/// New limits of a key: either single ones, or a plan's.
#[derive(InputObject)]
pub(crate) struct SetLimitsInput {
    /// The key.
    id: ID,
    /// Requests in any 60 seconds, 1 to 1,000,000; what isn't given stays as it is.
    per_minute: Option<i32>,
    /// Requests in a UTC calendar month, 1 to 10¹²; null lifts the cap, what isn't given stays as
    /// it is.
    monthly_quota: MaybeUndefined<Count>,
    /// Limits of that plan; not together with the others.
    plan: Option<Plan>,
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: SetLimitsInput,
) -> Result<KeyPayload, FieldError> {
    let mut errors = InputErrors::default();
    let (id, change) = (errors.key(&input.id), limits_change(&input, &mut errors));
    let (Some(id), Some(change)) = (id, change) else {
        return Ok(errors.into_payload(requester(context).language));
    };
    let caller = &requester(context).caller;
    let set = ports(context).keys.set_limits(caller, id, change).await;
    payload(context, "id", set)
}

/// Validates the input: either single limits within their ranges, or a plan.
fn limits_change(input: &SetLimitsInput, errors: &mut InputErrors) -> Option<LimitsChange> {
    let quota = match &input.monthly_quota {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(None),
        MaybeUndefined::Value(quota) => Some(Some(quota.0)),
    };
    let single = input.per_minute.is_some() || quota.is_some();
    match input.plan {
        Some(_) if single => {
            errors.add("plan", UserProblem::PlanAndLimits);
            return None;
        }
        Some(plan) => {
            let plan = domain::limits::Plan::from(plan);
            return Some(LimitsChange::from(plan.limits()));
        }
        None if !single => {
            errors.add_general(UserProblem::NoLimit);
            return None;
        }
        None => {}
    }
    // Negative numbers get the same error as 0.
    let per_minute = input
        .per_minute
        .map(|limit| u32::try_from(limit).unwrap_or(0));
    let minute = LimitsChange::new(per_minute, None);
    let month = LimitsChange::new(None, quota);
    for error in [minute.err(), month.err()].into_iter().flatten() {
        let (member, problem) = match error {
            LimitsError::PerMinute => {
                let most = MAX_PER_MINUTE;
                ("perMinute", UserProblem::PerMinute { most })
            }
            LimitsError::MonthlyQuota => {
                let most = MAX_MONTHLY_QUOTA;
                ("monthlyQuota", UserProblem::MonthlyQuota { most })
            }
        };
        errors.add(member, problem);
    }
    LimitsChange::new(per_minute, quota).ok()
}
