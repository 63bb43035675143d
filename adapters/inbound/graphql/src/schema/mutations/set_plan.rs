//! Input, payload and resolver of `adminSetPlan`.

use async_graphql::{Context, ID, InputObject, SimpleObject};
use domain::people::customer::{Customer, CustomerId};
use web::problem::UserProblem;

use crate::field_error::FieldError;
use crate::schema::account::Account;
use crate::schema::context::{ports, requester};
use crate::schema::enums::{ExistingKeys, Plan};
use crate::schema::input::uuid;
use crate::schema::user_error::{InputErrors, UserError, payload};

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

/// An account that was changed, or why it wasn't.
#[derive(SimpleObject, Default)]
pub(crate) struct AccountPayload {
    /// The account after the change; null when nothing was changed.
    account: Option<Account>,
    /// Reasons for which nothing was changed; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<Customer> for AccountPayload {
    fn from(customer: Customer) -> Self {
        Self {
            account: Some(customer.into()),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for AccountPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}

pub(in crate::schema) async fn resolve(
    context: &Context<'_>,
    input: SetPlanInput,
) -> Result<AccountPayload, FieldError> {
    let Some(id) = uuid(&input.account_id) else {
        let mut errors = InputErrors::default();
        errors.add("accountId", UserProblem::NotFound);
        return Ok(errors.into_payload(requester(context).language));
    };
    let (plan, existing) = (input.plan.into(), input.existing_keys.into());
    let caller = &requester(context).caller;
    let keys = &ports(context).keys;
    let set = keys.set_plan(caller, CustomerId(id), plan, existing).await;
    payload(context, "accountId", set)
}
