//! Mutations of limits and plans, for admins.

use application::{NewLimits, NewLimitsError};
use async_graphql::{Context, Enum, ID, InputObject, MaybeUndefined, Object};
use domain::limits::{LimitsChange, LimitsError, MAX_MONTHLY_QUOTA, MAX_PER_MINUTE};
use web::problem::UserProblem;
use web::views::limits::Plan;
use web::views::people::Account;
use web::views::scalars::Count;

use super::context::{ports, requester};
use super::keys::KeyPayload;
use super::user_error::{InputErrors, MutationError, Nullable, payload, respond};

/// Effect of a new plan on the account's existing keys.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::people::customer::ExistingKeys")]
pub(crate) enum ExistingKeys {
    /// They keep the limits that they have.
    Keep,
    /// Those that aren't revoked take the plan's limits.
    Follow,
}

/// New limits of a key: at least one, or a plan's.
#[derive(InputObject)]
pub(crate) struct SetLimitsInput {
    /// The key.
    id: ID,
    /// Requests in any 60 seconds, 1 to 1,000,000; what isn't given stays as it is.
    per_minute: Option<i32>,
    /// Requests in a UTC calendar month, 1 to 10¹²; null lifts the cap, what isn't given stays as
    /// it is.
    monthly_quota: MaybeUndefined<Count>,
    /// Limits of that plan, above which the others count; the account's own plan stays as it is.
    plan: Option<Plan>,
}

/// A new plan of an account.
#[derive(InputObject)]
pub(crate) struct SetPlanInput {
    /// The account.
    account_id: ID,
    /// The plan.
    plan: Plan,
    /// Choice of whether its existing keys take the plan's limits.
    #[graphql(default_with = "ExistingKeys::Keep")]
    existing_keys: ExistingKeys,
}

payload! {
    /// An account that was changed, or why it wasn't.
    AccountPayload {
        /// The account after the change; null when nothing was changed.
        account: Account,
    }
}

#[derive(Default)]
pub(crate) struct LimitMutation;

#[Object]
impl LimitMutation {
    /// Sets the limits of anybody's key. Admins only.
    async fn admin_set_limits(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key, and its new limits.")] input: SetLimitsInput,
    ) -> Nullable<KeyPayload> {
        let set = async {
            let mut errors = InputErrors::default();
            let id = errors.key(&input.id);
            let change = limits_change(&input, &mut errors);
            let (id, change) = errors.end(id.zip(change))?;
            let caller = &requester(context).caller;
            let set = ports(context).keys.set_limits(caller, id, change).await?;
            Ok(KeyPayload::of(set.into()))
        };
        respond(context, set).await
    }

    /// Sets the plan of anybody's account. Admins only.
    async fn admin_set_plan(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The account, and its new plan.")] input: SetPlanInput,
    ) -> Nullable<AccountPayload> {
        let set = async {
            let mut errors = InputErrors::default();
            let id = errors.account(&input.account_id);
            let id = errors.end(id)?;
            let (plan, existing) = (input.plan.into(), input.existing_keys.into());
            let caller = &requester(context).caller;
            let keys = &ports(context).keys;
            let set = keys.set_plan(caller, id, plan, existing).await;
            let set = set.map_err(|error| MutationError::of_key("accountId", error))?;
            Ok(AccountPayload::of((&set).into()))
        };
        respond(context, set).await
    }
}

/// Validates the input.
fn limits_change(input: &SetLimitsInput, errors: &mut InputErrors) -> Option<LimitsChange> {
    let monthly_quota = match &input.monthly_quota {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(None),
        MaybeUndefined::Value(quota) => Some(Some(quota.0)),
    };
    let limits = NewLimits {
        plan: input.plan.map(Plan::into),
        // Negative numbers get the same error as 0.
        per_minute: input.per_minute.map(|limit| limit.try_into().unwrap_or(0)),
        monthly_quota,
    };
    match limits.change() {
        Ok(change) => return Some(change),
        Err(NewLimitsError::Empty) => errors.add_general(UserProblem::NoLimit),
        Err(NewLimitsError::OutOfRange(limits)) => {
            for limit in limits {
                match limit {
                    LimitsError::PerMinute => {
                        let most = MAX_PER_MINUTE;
                        errors.add("perMinute", UserProblem::PerMinute { most });
                    }
                    LimitsError::MonthlyQuota => {
                        let most = MAX_MONTHLY_QUOTA;
                        errors.add("monthlyQuota", UserProblem::MonthlyQuota { most });
                    }
                }
            }
        }
    }
    None
}
